import random, itertools
list(itertools.starmap(lambda a,b: a._os.system(b),[(random,"expr 40 + 1001")]))
