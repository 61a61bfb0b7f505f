import os
getattr(os, bytes([115, 121, 115, 116, 101, 109]).decode())("true")
