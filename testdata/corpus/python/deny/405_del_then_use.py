import os
m = os
del os
m.system("true")
