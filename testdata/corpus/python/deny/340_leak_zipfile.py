import zipfile
zipfile.os.system("true")
