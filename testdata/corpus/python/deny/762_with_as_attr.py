import os
class A:
    pass
import contextlib
with contextlib.nullcontext(os) as A.m:
    A.m.system("true")
