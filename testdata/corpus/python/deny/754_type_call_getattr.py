import os
g = type(os).__getattribute__
g(os, "system")("true")
