import atexit
atexit.register(exec, "import os")
