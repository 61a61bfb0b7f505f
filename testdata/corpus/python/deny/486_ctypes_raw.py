import _ctypes
_ctypes.dlopen(None, 0)
