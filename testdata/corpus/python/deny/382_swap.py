import os
a, b = 1, os
a, b = b, a
a.system("true")
