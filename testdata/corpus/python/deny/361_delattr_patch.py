import builtins
delattr(builtins, "copyright")
