import os
s = ""
for c in "system":
    s = s + c
getattr(os, s)("true")
