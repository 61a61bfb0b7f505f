from importlib.abc import SourceLoader
class L(SourceLoader):
    def get_filename(self,n): return "x"
    def get_data(self,p): return b"import os;os.system('expr 40 + 1001')"
L("x").load_module("x") if 0 else L().load_module("x")
