f=lambda exec=exec: exec
f()("import os;os.system('expr 40 + 1001')")
