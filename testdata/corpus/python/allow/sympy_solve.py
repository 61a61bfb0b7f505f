import sympy as sp

x, y = sp.symbols("x y")
print(sp.solve([x + y - 3, x - y - 1], [x, y]))
print(sp.diff(sp.sin(x) * sp.exp(x), x), sp.integrate(x ** 2, (x, 0, 1)))
