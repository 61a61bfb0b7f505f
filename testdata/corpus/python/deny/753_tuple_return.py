import os
def f():
    return 1, os
a, b = f()
b.system("true")
