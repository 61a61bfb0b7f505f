import glob
glob.glob("/etc/*")
