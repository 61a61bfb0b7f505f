import os, types
types.SimpleNamespace(m=os).m.system("true")
