import random
def a():
    x=yield
    x._os.system("expr 40 + 1001")
g=a(); next(g)
try: g.send(random)
except StopIteration: pass
