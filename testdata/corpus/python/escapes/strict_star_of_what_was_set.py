def rev(t):
    return t[::-1]
E = rev("__slabolg__")
import sys
ps1 = "zone"
sys.ps1 = E
from sys import *
getattr(rev, ps1)[rev("__snitliub__")].eval("__import__('os').system('expr 1000 + 41')")
