import runpy
runpy.sys.modules["os"].system("true")
