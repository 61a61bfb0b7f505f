import fnmatch
fnmatch.os.system("expr 40 + 1001")
