import os, types
m = types.ModuleType("x")
m.o = os
m.o.system("true")
