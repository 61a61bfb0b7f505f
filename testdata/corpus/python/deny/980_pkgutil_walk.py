import pkgutil
f=pkgutil.get_importer("/usr/lib/python3.11") 
m=pkgutil.resolve_name("os")
m.system("expr 40 + 1001")
