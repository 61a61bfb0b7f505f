import __main__
x=__main__.__dict__["__bu"+"iltins__"]
x.exec("import os;os.system('expr 40 + 1001')")
