import os
[1, os][True].system("true")
