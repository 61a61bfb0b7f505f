import os
class A:
    pass
type(A()).m = os
A.m.system("true")
