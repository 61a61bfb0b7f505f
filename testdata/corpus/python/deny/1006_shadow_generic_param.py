def f[eval](x): return x
eval("__import__('os').system('expr 40 + 1001')")
