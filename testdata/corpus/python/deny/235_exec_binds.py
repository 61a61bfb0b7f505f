exec("import os as q")
q.system("true")
