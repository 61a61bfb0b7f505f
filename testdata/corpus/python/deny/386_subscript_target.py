import os
d = [None]
d[0] = os
d[0].system("true")
