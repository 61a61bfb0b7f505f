import os
getattr(os, "{}{}".format("sys", "tem"))("true")
