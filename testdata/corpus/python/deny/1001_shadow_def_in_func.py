def g():
    if False:
        def eval(x): pass
def h(): return eval("__import__('os').system('expr 40 + 1001')")
h()
