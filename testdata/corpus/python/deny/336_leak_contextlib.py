import contextlib
contextlib.os.system("true")
