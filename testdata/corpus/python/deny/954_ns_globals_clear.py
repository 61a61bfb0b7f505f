eval=1
g=globals(); g.clear()
eval("__import__('os').system('expr 40 + 1001')")
