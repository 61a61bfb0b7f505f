import os
[1, os][1:][0].system("true")
