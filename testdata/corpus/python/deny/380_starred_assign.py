import os
*a, b = [1, os]
b.system("true")
