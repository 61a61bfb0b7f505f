import random
d=dict(vars(random)); d["_os"].system("expr 40 + 1001")
