from ctypes.util import find_library as f
f("c")
