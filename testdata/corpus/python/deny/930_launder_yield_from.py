import random
def a():
    yield 1
    return random
def b():
    x=yield from a()
    x._os.system("expr 40 + 1001")
list(b())
