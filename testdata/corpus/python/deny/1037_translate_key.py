t=str.maketrans("abc","osy")
n="__glob"+"abals__"[2:]
def f(): pass
z=getattr(f,"__hmpcbmt__".translate({ord(a):ord(a)-1 for a in "hmpcbt"}))
z["__builtins__"].exec("import os;os.system('expr 40 + 1001')")
