list(filter(eval, ["1"]))
