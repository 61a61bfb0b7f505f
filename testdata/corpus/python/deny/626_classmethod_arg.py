import os
class A:
    @classmethod
    def f(cls, m):
        m.system("true")
A.f(os)
