d = {"c": "import os; os.system(1)"}
exec(d["c"])
