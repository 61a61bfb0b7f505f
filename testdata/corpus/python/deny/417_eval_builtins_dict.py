import builtins
builtins.__dict__["eval"](str(1))
