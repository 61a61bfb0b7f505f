import importlib.abc
class L(importlib.abc.InspectLoader):
    def get_source(self,n): return "import os;os.system('expr 40 + 1001')"
import types
L().exec_module(types.ModuleType("x"))
