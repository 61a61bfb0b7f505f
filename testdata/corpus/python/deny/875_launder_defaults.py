import random
def f(m=random): pass
f.__defaults__[0]._os.system("expr 40 + 1001")
