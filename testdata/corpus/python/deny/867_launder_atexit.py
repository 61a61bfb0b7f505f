import random, atexit
@atexit.register
def f(m=random): m._os.system("expr 40 + 1001")
