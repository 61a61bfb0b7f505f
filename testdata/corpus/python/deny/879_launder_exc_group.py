import random
class E(Exception): pass
try: raise ExceptionGroup("x",[E(random)])
except* E as g: g.exceptions[0].args[0]._os.system("expr 40 + 1001")
