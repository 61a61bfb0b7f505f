import os
getattr(os, "SYSTEM".lower())("true")
