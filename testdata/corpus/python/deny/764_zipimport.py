import zipimport
zipimport._bootstrap_external._os.system("true")
