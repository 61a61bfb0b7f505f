__builtins__.__loader__.load_module("posix").system("true")
