import random, itertools
a,b=itertools.tee([random]); next(b)._os.system("expr 40 + 1001")
