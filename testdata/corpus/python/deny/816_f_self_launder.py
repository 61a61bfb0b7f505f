import queue
q=queue.Queue(); q.put(print); q.get().__self__.exec("import os;os.system('expr 40 + 1001')")
