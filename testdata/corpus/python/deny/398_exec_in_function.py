def f():
    import os as q
    exec("q.system('true')")
f()
