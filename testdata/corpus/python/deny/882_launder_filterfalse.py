import random, itertools
next(itertools.filterfalse(None.__class__.__bool__ if 0 else (lambda x: False),[random]))._os.system("expr 40 + 1001")
