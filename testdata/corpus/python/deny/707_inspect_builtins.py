import inspect
inspect.builtins.eval("1")
