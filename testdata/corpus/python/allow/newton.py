def newton(f, df, x, tolerance=1e-9):
    for i in range(100):
        step = f(x) / df(x)
        x -= step
        if abs(step) < tolerance:
            return x, i
    raise RuntimeError("no convergence")


print(newton(lambda x: x * x - 2, lambda x: 2 * x, 1.0))
