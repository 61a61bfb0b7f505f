import random
class D(dict):
    def __missing__(s,k): return random
D()["x"]._os.system("expr 40 + 1001")
