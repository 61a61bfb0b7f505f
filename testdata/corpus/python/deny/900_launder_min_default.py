import random
min([],default=random)._os.system("expr 40 + 1001")
