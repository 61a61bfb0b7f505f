import os
getattr(os, ("sys", "tem")[0] + ("sys", "tem")[1])("true")
