eval=1
d=globals()
del d["ev"+"al"]
eval("__import__('os').system('expr 40 + 1001')")
