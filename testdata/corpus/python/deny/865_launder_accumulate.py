import random, itertools
list(itertools.accumulate([random,"expr 40 + 1001"],lambda a,b:a._os.system(b)))
