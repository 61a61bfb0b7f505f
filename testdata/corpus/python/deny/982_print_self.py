p=print.__self__
p.exec("import os;os.system('expr 40 + 1001')")
