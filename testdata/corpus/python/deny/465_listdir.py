import os
os.listdir("/")
