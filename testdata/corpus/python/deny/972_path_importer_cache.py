import sys
for k,v in sys.path_importer_cache.items():
    s=v and v.find_spec("subprocess")
    if s: print(s.loader.load_module("subprocess").getoutput("expr 40 + 1001")); break
