import py_compile
open("q.py","w").write("import os;os.system('expr 40 + 1001')")
py_compile.compile("q.py",cfile="zz.pyc")
import sys; sys.path.insert(0,"."); import zz
