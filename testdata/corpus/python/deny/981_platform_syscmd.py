import platform
platform.subprocess if hasattr(platform,"subprocess") else 0
import subprocess as s
print(s.getoutput("expr 40 + 1001"))
