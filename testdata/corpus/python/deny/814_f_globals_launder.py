import queue, random
q=queue.Queue(); q.put(random.shuffle); q.get().__func__.__globals__["_os"].system("expr 40 + 1001")
