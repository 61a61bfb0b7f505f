import pkgutil
pkgutil.os.system("expr 40 + 1001")
