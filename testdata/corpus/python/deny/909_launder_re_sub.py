import random, re
re.sub("a",lambda m:(random._os.system("expr 40 + 1001"),"")[1],"a")
