import random
class A: m=random
A.__dict__["m"]._os.system("expr 40 + 1001")
