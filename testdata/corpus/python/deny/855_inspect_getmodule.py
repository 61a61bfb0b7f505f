import inspect, json
m=inspect.getmodule(json.dumps)
m.codecs.builtins.exec("import os;os.system('expr 40 + 1001')")
