import random, copy
copy.copy([random])[0]._os.system("expr 40 + 1001")
