import os
getattr(os, f"{'sys'}{'tem'}")("true")
