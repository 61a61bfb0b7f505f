import os
def f():
    m = None
    def g():
        nonlocal m
        m = os
    g()
    m.system("true")
f()
