import os
args = (os, "system")
getattr(*args)("true")
