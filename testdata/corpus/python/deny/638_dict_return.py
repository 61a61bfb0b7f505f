import os
def f():
    return {"m": os}
f()["m"].system("true")
