import random
getattr(1,"q",random)._os.system("expr 40 + 1001")
