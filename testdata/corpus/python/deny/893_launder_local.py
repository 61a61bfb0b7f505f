import random, threading
t=threading.local(); t.x=random
t.x._os.system("expr 40 + 1001")
