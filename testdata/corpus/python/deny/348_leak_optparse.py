import optparse
optparse.os.system("true")
