def f():
    global eval
    eval=1
eval("__import__('os').system('expr 40 + 1001')")
