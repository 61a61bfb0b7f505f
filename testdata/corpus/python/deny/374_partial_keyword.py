import functools, subprocess
functools.partial(subprocess.run, args=["true"])()
