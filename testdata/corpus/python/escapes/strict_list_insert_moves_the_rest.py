def rev(t):
    return t[::-1]
E = rev("__slabolg__")
l = [E, "zone"]
l.insert(0, "place")
getattr(rev, l[1])[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
