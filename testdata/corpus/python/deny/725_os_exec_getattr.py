import os
f = getattr(os, "exec" + "vp")
f("true", ["true"])
