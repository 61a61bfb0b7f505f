def f(i=__import__):
    return i("os")
f().system("true")
