def f(e=exec):
    e("x = 1")
f()
