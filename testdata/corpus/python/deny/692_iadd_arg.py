import os
class A:
    def __iadd__(self, m):
        m.system("true")
x = A()
x += os
