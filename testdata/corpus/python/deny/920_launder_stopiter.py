import random
def g():
    return random
    yield
try: next(g())
except StopIteration as e: e.value._os.system("expr 40 + 1001")
