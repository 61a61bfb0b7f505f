import importlib.resources
importlib.resources._common.os.system("expr 40 + 1001")
