import functools
functools.reduce(lambda a, b: getattr(a, b), ["system"], __import__("os"))("true")
