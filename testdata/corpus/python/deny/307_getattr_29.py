import binascii
import os
getattr(os, binascii.unhexlify("73797374656d").decode())("true")
