class A:
    eval=1
    def f(self): return eval("__import__('os').system('expr 40 + 1001')")
A().f()
