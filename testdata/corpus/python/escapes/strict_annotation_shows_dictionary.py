def rev(t):
    return t[::-1]
E = rev("__slabolg__")
d = {"a": "zone"}
def f(x: d): pass
f.__annotations__["x"]["a"] = E
getattr(rev, d["a"])[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
