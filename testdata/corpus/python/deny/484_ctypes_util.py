import ctypes.util
ctypes.util.find_library("c")
