class A:
    def f(self): pass
A().f.__func__.__builtins__["exec"]("import os;os.system('expr 40 + 1001')")
