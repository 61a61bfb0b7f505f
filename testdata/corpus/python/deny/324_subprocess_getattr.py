import subprocess
getattr(subprocess, "r" + "un")(["true"])
