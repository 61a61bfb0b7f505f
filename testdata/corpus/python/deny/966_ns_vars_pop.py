eval=1
vars().pop("eval")
eval("__import__('os').system('expr 40 + 1001')")
