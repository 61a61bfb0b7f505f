import tempfile
tempfile._os.system("true")
