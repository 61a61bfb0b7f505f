import os
l = []
l.append(os)
l[0].system("true")
