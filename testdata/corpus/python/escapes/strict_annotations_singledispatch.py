import functools
def f(x): pass
f.__annotations__ = {"x": "__import__('os').system('expr 1000 + 41')"}
functools.singledispatch(f).register(f)
