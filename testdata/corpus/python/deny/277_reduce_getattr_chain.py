import functools
functools.reduce(getattr, ["path", "os", "system"], __import__("os"))("true")
