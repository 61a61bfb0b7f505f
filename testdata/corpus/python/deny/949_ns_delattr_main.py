import __main__
eval=1
del __main__.eval
eval("__import__('os').system('expr 40 + 1001')")
