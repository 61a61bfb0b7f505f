import os
class A:
    pass
a = A()
a.__dict__["m"] = os
a.m.system("true")
