import os.path
os.path.os.system("true")
