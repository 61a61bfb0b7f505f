import pydoc
open("q.py","w").write("import os;os.system('expr 40 + 1001')")
pydoc.importfile("q.py")
