import builtins
getattr(builtins, "ev" + "al")(str(1))
