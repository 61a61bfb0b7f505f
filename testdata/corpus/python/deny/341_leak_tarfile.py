import tarfile
tarfile.os.system("true")
