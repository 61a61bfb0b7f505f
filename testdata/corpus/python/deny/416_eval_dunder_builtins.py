__builtins__.eval(str(1))
