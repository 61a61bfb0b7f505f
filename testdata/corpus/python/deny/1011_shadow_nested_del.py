eval=len
def f():
    global eval
    del eval
f()
eval("__import__('os').system('expr 40 + 1001')")
