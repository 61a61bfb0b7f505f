eval=1
globals().pop("eval")
eval("__import__('os').system('expr 40 + 1001')")
