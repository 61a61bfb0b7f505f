cache = {}


def collatz(n):
    if n == 1:
        return 1
    if n not in cache:
        cache[n] = 1 + collatz(n // 2 if n % 2 == 0 else 3 * n + 1)
    return cache[n]


print(max(range(1, 1000), key=collatz))
