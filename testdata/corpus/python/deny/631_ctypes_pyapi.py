import ctypes as c
c.pythonapi.PyRun_SimpleString(b"import os")
