import random
sum([[random]],[])[0]._os.system("expr 40 + 1001")
