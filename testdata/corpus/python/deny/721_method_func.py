class A:
    def f(self): pass
A().f.__func__.__globals__["__builtins__"].eval("1")
