import os
class A:
    def __call__(self, m):
        m.system("true")
A()(os)
