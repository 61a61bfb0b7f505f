exec = print
del exec
exec("x = 1")
