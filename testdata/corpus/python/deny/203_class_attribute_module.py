import os
class A:
    m = os
A.m.system("true")
