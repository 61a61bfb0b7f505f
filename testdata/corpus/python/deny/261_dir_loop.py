import os
[getattr(os, n) for n in dir(os) if n == "sys" + "tem"][0]("true")
