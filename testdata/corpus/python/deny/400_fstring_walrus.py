import os
f"{(m := os)}"
m.system("true")
