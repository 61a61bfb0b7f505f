import os
class A:
    pass
for A.m in [os]:
    A.m.system("true")
