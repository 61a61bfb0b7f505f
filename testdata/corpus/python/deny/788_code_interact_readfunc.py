import code
it=iter(["import os;os.system('expr 40 + 1001')"])
def r(p):
    try: return next(it)
    except StopIteration: raise EOFError
code.interact(readfunc=r)
