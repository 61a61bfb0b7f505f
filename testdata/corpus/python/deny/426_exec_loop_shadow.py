for exec in ():
    pass
exec("x = 1")
