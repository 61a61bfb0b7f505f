import os
def f(**k):
    k["m"].system("true")
f(m=os)
