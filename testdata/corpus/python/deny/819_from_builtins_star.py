from builtins import *
exec("import os;os.system('expr 40 + 1001')")
