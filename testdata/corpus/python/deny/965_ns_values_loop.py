import random
for v in vars(random).values():
    if getattr(v,"__name__","")=="os": v.system("expr 40 + 1001")
