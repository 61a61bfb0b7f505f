import inspect
def f(): return exec
inspect.getclosurevars(f).builtins["exec"]("import os;os.system('expr 40 + 1001')")
