import os
getattr(os, "SYStem".swapcase().swapcase().lower())("true")
