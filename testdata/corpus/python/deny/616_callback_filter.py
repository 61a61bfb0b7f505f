import os
list(filter(lambda m: m.system("true"), [os]))
