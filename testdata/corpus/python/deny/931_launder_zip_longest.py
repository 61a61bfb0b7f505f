import random, itertools
for a,b in itertools.zip_longest([],[1],fillvalue=random): a._os.system("expr 40 + 1001")
