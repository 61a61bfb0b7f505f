import os, functools
functools.reduce(lambda a, m: m.system("true"), [os], 1)
