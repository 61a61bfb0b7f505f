import os
class A:
    def __getitem__(self, m):
        m.system("true")
A()[os]
