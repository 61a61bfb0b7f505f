def rev(t):
    return t[::-1]
E = rev("__slabolg__")
d = {"a": "zone"}
box = [d]
(2 * box)[0]["a"] = E
getattr(rev, d["a"])[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
