import functools
functools.partial(__import__, "os")().system("true")
