import os
d = {}
d.setdefault("m", os).system("true")
