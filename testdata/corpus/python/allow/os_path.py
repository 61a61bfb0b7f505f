import os
import os.path

name = os.path.join("data", "file.txt")
print(os.path.splitext(name), os.path.basename(name), os.sep, os.linesep == "\n")
print(os.path.exists(name), os.getcwd() != "", os.path.abspath(os.curdir) != "")
