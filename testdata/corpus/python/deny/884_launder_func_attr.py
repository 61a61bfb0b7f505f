import random
def f(): pass
f.m=random
f.m._os.system("expr 40 + 1001")
