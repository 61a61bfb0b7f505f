from random import *
import random as r
[*map(lambda k: k._os.system("expr 40 + 1001"),[r])]
