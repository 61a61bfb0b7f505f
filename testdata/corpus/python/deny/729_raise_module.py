import os
class E(Exception):
    m = os
try:
    raise E
except E as e:
    e.m.system("true")
