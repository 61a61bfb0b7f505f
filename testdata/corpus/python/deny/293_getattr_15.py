import os
getattr(os, bytearray(b"system").decode())("true")
