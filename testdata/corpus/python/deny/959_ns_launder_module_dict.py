import random, queue
q=queue.Queue(); q.put(random.__dict__); q.get()["_os"].system("expr 40 + 1001")
