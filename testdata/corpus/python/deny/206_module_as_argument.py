import os
def f(m):
    m.system("true")
f(os)
