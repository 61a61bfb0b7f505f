import random
class E(Exception): pass
def a():
    try: yield
    except E as e: e.m._os.system("expr 40 + 1001")
g=a(); next(g); x=E(); x.m=random
try: g.throw(x)
except StopIteration: pass
