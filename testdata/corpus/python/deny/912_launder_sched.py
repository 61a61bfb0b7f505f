import random, sched
s=sched.scheduler(); s.enter(0,0,lambda m: m._os.system("expr 40 + 1001"),(random,)); s.run()
