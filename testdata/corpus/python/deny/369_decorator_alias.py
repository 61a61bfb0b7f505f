import os
run = os.system
@run
@(lambda f: "true")
def f():
    pass
