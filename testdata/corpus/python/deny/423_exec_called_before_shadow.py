def f():
    exec("x = 1")
f()
def exec(s):
    pass
