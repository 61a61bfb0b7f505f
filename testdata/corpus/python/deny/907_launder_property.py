import random
p=property(lambda s: random)
p.fget(0)._os.system("expr 40 + 1001")
