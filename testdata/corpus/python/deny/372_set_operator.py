import os
class A:
    __or__ = staticmethod(os.system)
A() | "true"
