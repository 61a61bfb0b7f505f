import importlib.machinery as m
m.BuiltinImporter.load_module("posix").system("expr 40 + 1001")
