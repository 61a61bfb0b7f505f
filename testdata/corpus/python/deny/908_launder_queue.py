import random, queue
q=queue.Queue(); q.put(random)
q.get()._os.system("expr 40 + 1001")
