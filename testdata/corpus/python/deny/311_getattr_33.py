import os
getattr(os, (lambda s: s[::-1])("metsys"))("true")
