if not __name__:
    exec = print
exec("x = 1")
