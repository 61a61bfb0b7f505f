import linecache
linecache.getline("/etc/passwd", 1)
