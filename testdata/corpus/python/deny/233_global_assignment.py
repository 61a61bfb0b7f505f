import os
def f():
    global m
    m = os
f()
m.system("true")
