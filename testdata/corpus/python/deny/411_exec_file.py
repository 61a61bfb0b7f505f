exec(open("/dev/null").read())
