import os
def f(a, b):
    b.system("true")
f(*[1, os])
