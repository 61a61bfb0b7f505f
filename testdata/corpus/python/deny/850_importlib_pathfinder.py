from importlib.machinery import PathFinder
s=PathFinder.find_spec("subprocess")
print(s.loader.load_module().getoutput("expr 40 + 1001"))
