import random
class A: pass
a=A(); a.__dict__.update(m=random); a.m._os.system("expr 40 + 1001")
