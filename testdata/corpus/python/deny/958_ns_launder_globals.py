import queue
q=queue.Queue(); q.put(globals()); q.get()["__builtins__"].exec("import os;os.system('expr 40 + 1001')")
