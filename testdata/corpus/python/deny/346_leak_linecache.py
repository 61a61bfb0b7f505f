import linecache
linecache.os.system("true")
