import os
getattr(os, "".join(reversed("metsys")))("true")
