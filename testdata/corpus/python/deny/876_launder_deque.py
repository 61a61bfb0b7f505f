import random, collections
collections.deque([random]).pop()._os.system("expr 40 + 1001")
