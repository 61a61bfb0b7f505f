import builtins as b
b.__dict__.get("ex"+"ec")("import os;os.system('expr 40 + 1001')")
