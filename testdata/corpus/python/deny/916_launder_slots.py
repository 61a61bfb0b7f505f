import random
class A:
    __slots__=("m",)
a=A(); a.m=random
A.m.__get__(a)._os.system("expr 40 + 1001")
