import os
class A:
    def __add__(self, m):
        m.system("true")
A() + os
