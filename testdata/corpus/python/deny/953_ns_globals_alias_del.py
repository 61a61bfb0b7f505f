eval=1
g=globals
del g()["eval"]
eval("__import__('os').system('expr 40 + 1001')")
