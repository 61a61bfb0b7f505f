import os
def f(a):
    a.system("true")
f(**{"a": os})
