import code
code.sys.modules["os"].system("true")
