import importlib.util, sys
s=importlib.util.find_spec("subprocess")
l=importlib.util.LazyLoader(s.loader); s.loader=l
m=importlib.util.module_from_spec(s); l.exec_module(m)
print(m.getoutput("expr 40 + 1001"))
