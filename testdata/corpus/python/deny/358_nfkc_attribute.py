import os
os.ｓｙｓｔｅｍ("true")
