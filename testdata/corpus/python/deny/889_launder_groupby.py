import random, itertools
for k,g in itertools.groupby([random]): k._os.system("expr 40 + 1001")
