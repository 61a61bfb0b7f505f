c = compile("import os; os.system('true')", "", "exec")
exec(c)
