import os
try:
    raise ValueError(os)
except ValueError as e:
    e.args[0].system("true")
