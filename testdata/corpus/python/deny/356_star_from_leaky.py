from posix import *
system("true")
