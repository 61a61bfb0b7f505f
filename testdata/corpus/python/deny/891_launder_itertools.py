import random, itertools
next(itertools.chain.from_iterable([[random]]))._os.system("expr 40 + 1001")
