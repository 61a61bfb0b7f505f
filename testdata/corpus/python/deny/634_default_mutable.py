import os
def f(x=[]):
    x.append(os)
    return x
f()
f()[0].system("true")
