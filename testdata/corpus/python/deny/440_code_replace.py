def f():
    return 1
f.__code__ = (lambda: 2).__code__
f()
