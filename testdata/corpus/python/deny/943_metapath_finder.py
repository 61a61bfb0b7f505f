import sys
from importlib.machinery import ModuleSpec
class F:
    @staticmethod
    def find_spec(n,p,t=None):
        if n=="qq": return ModuleSpec(n,F)
    @staticmethod
    def create_module(s): return None
    @staticmethod
    def exec_module(m): exec("import os;os.system('expr 40 + 1001')")
sys.meta_path.append(F)
import qq
