exec(compile("import os; os.system('true')", "x", "exec"))
