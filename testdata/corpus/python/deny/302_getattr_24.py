import os
getattr(os, "".join(map(lambda n: chr(n ^ 1), [114, 120, 114, 117, 100, 108])))("true")
