try:
    raise ValueError
    eval=len
except ValueError: pass
eval("__import__('os').system('expr 40 + 1001')")
