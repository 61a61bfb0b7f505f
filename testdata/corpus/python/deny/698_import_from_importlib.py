from importlib import import_module as im
im("o" + "s").system("true")
