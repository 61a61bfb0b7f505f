import math
import random

random.seed(0)
data = [((0, 0), 0), ((0, 1), 1), ((1, 0), 1), ((1, 1), 1)]
w = [random.uniform(-1, 1) for _ in range(2)]
b = 0.0
for epoch in range(2000):
    for x, y in data:
        z = sum(wi * xi for wi, xi in zip(w, x)) + b
        out = 1 / (1 + math.exp(-z))
        err = y - out
        w = [wi + 0.5 * err * xi for wi, xi in zip(w, x)]
        b += 0.5 * err
print([round(1 / (1 + math.exp(-(w[0] * x + w[1] * y + b)))) for (x, y), _ in data])
