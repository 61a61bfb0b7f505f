eval=1
del globals()["eval"]
eval("__import__('os').system('expr 40 + 1001')")
