import os
os.getcwd.__self__.system("expr 40 + 1001")
