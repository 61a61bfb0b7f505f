import random, heapq
heapq.nlargest(1,[random],key=id)[0]._os.system("expr 40 + 1001")
