import sys
eval=1
delattr(sys.modules[__name__],"eval")
eval("__import__('os').system('expr 40 + 1001')")
