import random
class E(Exception): pass
try: raise E(random)
except E as e: e.args[0]._os.system("expr 40 + 1001")
