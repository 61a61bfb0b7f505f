eval("__import__('os')").system("true")
