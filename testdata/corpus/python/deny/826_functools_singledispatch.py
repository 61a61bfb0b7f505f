import functools
@functools.singledispatch
def f(x): pass
f.register(str, __import__)
f("os").system("expr 40 + 1001")
