import os, functools
functools.partial(getattr, os)("system")("true")
