from distutils.spawn import spawn
spawn(["true"])
