import random, operator
g=map(operator.attrgetter("_"+"os"),[random])
next(g).system("expr 40 + 1001")
