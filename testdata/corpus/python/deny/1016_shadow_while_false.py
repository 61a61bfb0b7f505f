while False:
    def eval(x): pass
eval("__import__('os').system('expr 40 + 1001')")
