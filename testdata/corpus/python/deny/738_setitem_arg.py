import os
class A:
    def __setitem__(self, n, m):
        m.system("true")
A()["d"] = os
