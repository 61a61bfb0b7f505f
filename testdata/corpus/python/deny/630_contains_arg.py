import os
class A:
    def __contains__(self, m):
        m.system("true")
os in A()
