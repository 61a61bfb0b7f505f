import os, queue
q = queue.Queue()
q.put(os)
q.get().system("true")
