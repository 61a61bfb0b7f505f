import os
sorted([os], key=lambda m: m.system("true"))
