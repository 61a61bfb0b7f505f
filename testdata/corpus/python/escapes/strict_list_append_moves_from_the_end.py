def rev(t):
    return t[::-1]
E = rev("__slabolg__")
l = ["zone", E]
l.append("place")
getattr(rev, l[-2])[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
