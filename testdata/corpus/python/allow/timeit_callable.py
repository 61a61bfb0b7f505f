import time


def bench(f, n=1000):
    start = time.perf_counter()
    for _ in range(n):
        f()
    return (time.perf_counter() - start) / n


print(bench(lambda: sum(range(100))) > 0)
