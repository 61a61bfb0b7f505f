import os
getattr(os, "system".encode().decode("utf-8"))("true")
