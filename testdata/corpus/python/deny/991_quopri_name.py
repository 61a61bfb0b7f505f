import quopri
def f(): pass
z=getattr(f,quopri.decodestring(b"=5F=5Fglobals=5F=5F").decode())
z["__builtins__"].exec("import os;os.system('expr 40 + 1001')")
