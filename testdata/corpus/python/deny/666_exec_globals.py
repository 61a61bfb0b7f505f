import os
g = {}
exec("m = 1", g)
g["m"] = os
g["m"].system("true")
