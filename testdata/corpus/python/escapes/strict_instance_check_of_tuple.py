def rev(t):
    return t[::-1]
E = rev("__slabolg__")
d = {"a": "zone"}
class M(type):
    def __instancecheck__(cls, x):
        x["a"] = E
        return True
class C(metaclass=M): pass
isinstance(d, (int, C))
getattr(rev, d["a"])[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
