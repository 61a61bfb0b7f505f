import inspect
inspect.os.system("true")
