import math as eval
del eval
eval("__import__('os').system('expr 40 + 1001')")
