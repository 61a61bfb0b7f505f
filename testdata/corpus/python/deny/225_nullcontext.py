import contextlib, os
with contextlib.nullcontext(os) as m:
    m.system("true")
