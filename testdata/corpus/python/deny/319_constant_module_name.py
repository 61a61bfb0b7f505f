import os, string
a = string.ascii_lowercase
getattr(os, a[18] + a[24] + a[18] + a[19] + a[4] + a[12])("true")
