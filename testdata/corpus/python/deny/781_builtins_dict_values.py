f=[v for k,v in vars(__builtins__).items() if k=="exec"][0]
f("import os;os.system('expr 40 + 1001')")
