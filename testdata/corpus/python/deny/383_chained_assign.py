import os
a = b = c = os
b.system("true")
