import os
x = os
del x.path
x.system("true")
