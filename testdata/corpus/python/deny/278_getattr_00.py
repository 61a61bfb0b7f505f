import codecs
import os
getattr(os, codecs.decode("73797374656d", "hex").decode())("true")
