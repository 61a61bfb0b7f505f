import queue
from pathlib import Path

q = queue.Queue()
q.put(Path("a"))
print(q.get().home())
