import random, dataclasses
from types import SimpleNamespace as S
S(**{"a":random}).a._os.system("expr 40 + 1001")
