import os
class A:
    locals()["m"] = os
A.m.system("true")
