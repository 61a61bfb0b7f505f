import random
def f[T: random](): pass
f.__type_params__[0].__bound__._os.system("expr 40 + 1001")
