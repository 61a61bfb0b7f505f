from subprocess import Popen as print
print(["true"])
