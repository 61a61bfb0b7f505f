import functools
functools.partial(exec)("x = 1")
