f = compile
f(str(1), "x", "eval")
