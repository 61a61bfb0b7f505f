eval=1
def f(): pass
f.__globals__.pop("eval")
eval("__import__('os').system('expr 40 + 1001')")
