import random, threading
t=threading.Timer(0,lambda m: m._os.system("expr 40 + 1001"),[random]); t.start(); t.join()
