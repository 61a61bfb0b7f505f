import os
for m in iter(lambda: os, None):
    m.system("true")
    break
