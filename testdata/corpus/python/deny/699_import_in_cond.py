import sys
if sys:
    import os as s
else:
    s = None
s.system("true")
