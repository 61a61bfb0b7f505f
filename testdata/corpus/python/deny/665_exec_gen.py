exec(next(c for c in ["import os; os.system(1)"]))
