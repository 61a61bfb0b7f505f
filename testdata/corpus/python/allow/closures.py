def counter():
    n = 0

    def inc(step=1):
        nonlocal n
        n += step
        return n

    return inc


c = counter()
c()
print(c(5), (lambda f: f(f))(lambda f: 3))
