import random


def estimate(n):
    inside = sum(1 for _ in range(n) if random.random() ** 2 + random.random() ** 2 <= 1)
    return 4 * inside / n


random.seed(7)
print(f"{estimate(100_000):.3f}")
