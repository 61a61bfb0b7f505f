import random


def kmeans(points, k, rounds=10):
    centers = random.sample(points, k)
    for _ in range(rounds):
        groups = [[] for _ in centers]
        for p in points:
            i = min(range(k), key=lambda c: sum((a - b) ** 2 for a, b in zip(p, centers[c])))
            groups[i].append(p)
        centers = [tuple(sum(v) / len(g) for v in zip(*g)) if g else centers[i] for i, g in enumerate(groups)]
    return centers


random.seed(2)
print(sorted(kmeans([(0, 0), (0, 1), (9, 9), (9, 8)], 2)))
