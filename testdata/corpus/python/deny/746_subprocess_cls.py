import subprocess
class P(subprocess.Popen): pass
P(["true"])
