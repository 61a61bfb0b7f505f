b=__builtins__
f=getattr(b,[x for x in dir(b) if x=="exec"][0])
f("import os;os.system('expr 40 + 1001')")
