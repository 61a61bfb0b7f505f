import os
class A:
    def __getattr__(self, n):
        return os
A().x.system("true")
