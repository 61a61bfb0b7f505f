import os
b, *a = [1, os]
a[0].system("true")
