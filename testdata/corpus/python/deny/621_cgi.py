import cgitb
cgitb.os.system("true")
