exec("x = 1")
def exec(s):
    pass
