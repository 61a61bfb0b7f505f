import os
getattr(os, "%c%c%s" % (115, 121, "stem"))("true")
