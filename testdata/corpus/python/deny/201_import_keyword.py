import importlib
importlib.import_module(name="os").system("true")
