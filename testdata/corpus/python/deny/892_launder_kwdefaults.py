import random
def f(*,m=random): pass
f.__kwdefaults__["m"]._os.system("expr 40 + 1001")
