import os
getattr(os, bytes.fromhex("73797374656d").decode())("true")
