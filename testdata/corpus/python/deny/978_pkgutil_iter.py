import pkgutil
l=[m for m in pkgutil.iter_modules() if m.name=="subprocess"][0]
s=l.module_finder.find_spec("subprocess")
mod=s.loader.load_module("subprocess")
print(mod.getoutput("expr 40 + 1001"))
