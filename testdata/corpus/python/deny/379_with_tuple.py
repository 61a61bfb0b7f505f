import contextlib, os
with contextlib.nullcontext((os, 1)) as (m, n):
    m.system("true")
