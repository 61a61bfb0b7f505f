import os
[m.system("true") for l in [[os]] for m in l]
