import os
class A:
    def __call__(self):
        return os
A()().system("true")
