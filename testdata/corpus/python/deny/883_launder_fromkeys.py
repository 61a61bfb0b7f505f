import random
dict.fromkeys([1],random)[1]._os.system("expr 40 + 1001")
