import zipimport
zipimport._bootstrap_external._os.system("expr 40 + 1001")
