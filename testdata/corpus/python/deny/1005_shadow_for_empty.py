for exec in (): pass
exec("import os;os.system('expr 40 + 1001')")
