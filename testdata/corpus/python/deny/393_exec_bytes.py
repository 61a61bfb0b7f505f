exec(b"import os; os.system('true')")
