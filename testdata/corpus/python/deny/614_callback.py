import os
def f(cb):
    cb(os)
f(lambda m: m.system("true"))
