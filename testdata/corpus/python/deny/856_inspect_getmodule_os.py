import inspect, shutil
inspect.getmodule(shutil.os.getcwd if 0 else shutil.which).os.system("expr 40 + 1001")
