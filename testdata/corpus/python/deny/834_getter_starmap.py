import random, operator, itertools
next(itertools.starmap(operator.attrgetter("_os"),[(random,)])).system("expr 40 + 1001")
