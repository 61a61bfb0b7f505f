eval=1
d=globals()
for k in [k for k in d if k=="eval"]: del d[k]
eval("__import__('os').system('expr 40 + 1001')")
