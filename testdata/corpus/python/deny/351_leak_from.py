from contextlib import os as q
q.system("true")
