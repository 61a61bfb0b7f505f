import numpy as np

a = np.arange(12).reshape(3, 4)
print(a.mean(axis=0), a.T @ a, np.linalg.norm(a))
rng = np.random.default_rng(0)
x = rng.normal(size=100)
print(np.percentile(x, [5, 50, 95]).round(2))
mask = a > 5
a[mask] = 0
