import os
os.putenv("X", "1")
