import os
class A:
    def __getitem__(self, n):
        return os
A()["x"].system("true")
