import ctypes
ctypes.cdll.LoadLibrary(None)
