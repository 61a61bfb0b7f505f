import os
d = {}
d["m"] = os
d["m"].system("true")
