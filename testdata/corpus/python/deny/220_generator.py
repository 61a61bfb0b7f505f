import os
def g():
    yield os
next(g()).system("true")
