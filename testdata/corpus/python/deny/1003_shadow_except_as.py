try: 1/0
except ZeroDivisionError as exec: pass
exec("import os;os.system('expr 40 + 1001')")
