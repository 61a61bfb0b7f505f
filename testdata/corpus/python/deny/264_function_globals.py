import os
os.popen.__globals__["system"]("true")
