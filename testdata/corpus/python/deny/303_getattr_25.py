import os
getattr(os, "\163ystem")("true")
