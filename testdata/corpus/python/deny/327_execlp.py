import os
os.execlp("true", "true")
