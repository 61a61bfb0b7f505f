import os
getattr(os, str.join("", ["sys", "tem"]))("true")
