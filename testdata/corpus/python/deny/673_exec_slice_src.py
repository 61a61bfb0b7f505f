s = "#import os;os.system(1)"
exec(s[1:])
