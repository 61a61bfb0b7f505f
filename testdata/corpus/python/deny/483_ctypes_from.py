from ctypes import CDLL as c
c(None)
