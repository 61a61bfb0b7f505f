import os
getattr(os, "%(a)stem" % {"a": "sys"})("true")
