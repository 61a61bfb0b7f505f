import os
getattr(os, "{1}{0}".format("tem", "sys"))("true")
