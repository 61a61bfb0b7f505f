import os
os.kill(os.getpid(), 0)
