import os
getattr(os, r"system")("true")
