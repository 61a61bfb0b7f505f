class A:
    import os as m
A.m.system("true")
