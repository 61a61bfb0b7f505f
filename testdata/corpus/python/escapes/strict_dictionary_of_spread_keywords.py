def rev(t):
    return t[::-1]
E = rev("__slabolg__")
def m(x):
    return x
l = dict(a="zone", **m({"b": E}))
getattr(rev, l["b"])[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
