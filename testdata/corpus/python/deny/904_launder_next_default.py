import random
next(iter(()),random)._os.system("expr 40 + 1001")
