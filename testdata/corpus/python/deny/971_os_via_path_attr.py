import pathlib
pathlib.os.system("expr 40 + 1001")
