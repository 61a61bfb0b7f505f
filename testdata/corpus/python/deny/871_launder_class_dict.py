import random
class A: m=random
vars(A)["m"]._os.system("expr 40 + 1001")
