import inspect
def f(): pass
f.__wrapped__=exec
inspect.unwrap(f)("import os;os.system('expr 40 + 1001')")
