[0 for eval in [1]]
eval("__import__('os').system('expr 40 + 1001')")
