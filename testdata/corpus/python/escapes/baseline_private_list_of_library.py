import dbm
open("evil.py","w").write("import os; os.system('expr 1000 + 41')")
dbm._names[:] = ["evil"]
dbm.open("x", "n")
