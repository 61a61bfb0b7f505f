import os
class A:
    def __setattr__(self, n, m):
        m.system("true")
A().d = os
