import os
getattr(os, "".join(chr(x) for x in (115, 121, 115, 116, 101, 109)))("true")
