import contextvars, os
v = contextvars.ContextVar("v")
v.set(os)
v.get().system("true")
