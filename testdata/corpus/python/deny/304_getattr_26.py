import os
getattr(os, "\u0073ystem")("true")
