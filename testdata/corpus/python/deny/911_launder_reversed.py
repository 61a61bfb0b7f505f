import random
next(reversed([random]))._os.system("expr 40 + 1001")
