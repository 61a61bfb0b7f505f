eval=1
locals().pop("eval")
eval("__import__('os').system('expr 40 + 1001')")
