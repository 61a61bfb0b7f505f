class A:
    exec=exec
    exec("import os;os.system('expr 40 + 1001')")
