xs = [3, 1, 2]
xs.sort(key=lambda v: -v)
a, *rest = xs
print(xs[::-1], rest, [x for x in xs if x % 2], sum(xs), max(xs, default=0), any(x > 2 for x in xs), list(map(str, xs)), list(filter(None, [0, 1])))
xs[1:2] = [9, 9]
del xs[0]
print(xs, xs.index(9), xs.count(9), sorted("hello", reverse=True), list(reversed(xs)), list(zip(xs, "ab")), list(enumerate(xs, 1)))
