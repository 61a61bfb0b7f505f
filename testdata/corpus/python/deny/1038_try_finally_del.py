try: exec=1
finally: del exec
exec("import os;os.system('expr 40 + 1001')")
