import os
os.close(os.open("/etc/passwd", os.O_RDONLY))
