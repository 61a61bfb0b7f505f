import code
code.InteractiveConsole(locals={"__name__":"x"}).push("import os;os.system('expr 40 + 1001')")
