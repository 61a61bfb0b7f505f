print(len(open("/etc/passwd").read()))
