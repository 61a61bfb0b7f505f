def f(g=lambda: __import__("os")):
    return g()
f().system("true")
