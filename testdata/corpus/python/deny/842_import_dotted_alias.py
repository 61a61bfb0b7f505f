import os.path as q
q.genericpath.os.system("expr 40 + 1001")
