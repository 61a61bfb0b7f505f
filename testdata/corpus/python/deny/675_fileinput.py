import fileinput
for l in fileinput.input("/etc/passwd", inplace=True): pass
