def f():
    exec = print
exec("x = 1")
f()
