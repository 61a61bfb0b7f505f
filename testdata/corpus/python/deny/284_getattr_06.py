import os
getattr(os, str(b"system", "ascii"))("true")
