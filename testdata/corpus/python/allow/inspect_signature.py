import inspect


def f(a, b=1, *args, c, **kwargs):
    """Doc."""


print(inspect.signature(f), inspect.getdoc(f), [p.name for p in inspect.signature(f).parameters.values()])
