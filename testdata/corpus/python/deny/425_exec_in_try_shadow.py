try:
    raise ValueError
    eval = print
except ValueError:
    pass
eval("1")
