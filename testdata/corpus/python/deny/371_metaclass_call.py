import os
class M(type):
    __call__ = lambda cls, c: os.system(c)
class A(metaclass=M):
    pass
A("true")
