__builtins__.__dict__["len"] = min
len([1])
