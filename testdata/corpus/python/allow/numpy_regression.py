import numpy as np

np.random.seed(1)
x = np.linspace(0, 10, 50)
y = 3 * x + 2 + np.random.randn(50)
A = np.vstack([x, np.ones_like(x)]).T
slope, intercept = np.linalg.lstsq(A, y, rcond=None)[0]
print(f"{slope:.2f} {intercept:.2f}")
