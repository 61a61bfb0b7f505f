import _functools
_functools.partial(eval)("1")
