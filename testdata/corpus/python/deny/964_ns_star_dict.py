import random
def f(_os=None,**k): _os.system("expr 40 + 1001")
f(**vars(random))
