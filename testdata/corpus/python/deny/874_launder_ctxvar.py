import random, contextvars
c=contextvars.ContextVar("c"); c.set(random)
c.get()._os.system("expr 40 + 1001")
