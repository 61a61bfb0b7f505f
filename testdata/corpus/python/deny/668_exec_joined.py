s = []
s.append("import os")
s.append("os.system('true')")
exec("\n".join(s))
