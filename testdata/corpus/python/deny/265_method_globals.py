import os
os.environ.get.__func__.__globals__["sys"].modules["posix"].system("true")
