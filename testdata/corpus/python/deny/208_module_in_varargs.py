import os
def f(*a):
    a[0].system("true")
f(os)
