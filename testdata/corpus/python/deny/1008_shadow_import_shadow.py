import math as os
try:
    import nothing as os
except ImportError:
    import os
os.system("expr 40 + 1001")
