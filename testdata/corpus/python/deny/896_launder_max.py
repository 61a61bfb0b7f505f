import random
r=max([random],key=id)
r._os.system("expr 40 + 1001")
