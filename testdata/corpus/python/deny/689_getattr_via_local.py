import os
def g(o, n):
    return getattr(o, n)
g(os, "system")("true")
