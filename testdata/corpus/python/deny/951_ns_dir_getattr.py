import random
[getattr(random,k) for k in dir(random) if k=="_os"][0].system("expr 40 + 1001")
