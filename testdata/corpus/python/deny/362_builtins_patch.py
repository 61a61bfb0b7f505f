import builtins
builtins.print = lambda *a: None
print(1)
