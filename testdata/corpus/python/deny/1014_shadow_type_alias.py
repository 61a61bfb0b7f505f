if 0:
    type eval = int
eval("__import__('os').system('expr 40 + 1001')")
