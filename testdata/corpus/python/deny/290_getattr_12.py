import os
getattr(os, chr(0x73) + "ystem")("true")
