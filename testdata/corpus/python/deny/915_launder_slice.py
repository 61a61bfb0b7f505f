import random
slice(random).stop._os.system("expr 40 + 1001")
