import subprocess as sp
sp.check_output(["true"])
