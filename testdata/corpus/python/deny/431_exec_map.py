list(map(exec, ["x = 1"]))
