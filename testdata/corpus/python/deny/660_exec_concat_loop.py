x = ""
for p in ["import os;", "os.system(1)"]:
    x += p
exec(x)
