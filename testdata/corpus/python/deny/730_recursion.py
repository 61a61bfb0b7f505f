import os
def f(n, m):
    return m.system("true") if not n else f(n - 1, m)
f(3, os)
