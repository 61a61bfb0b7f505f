import os
getattr(os, "".join("sys;tem".split(";")))("true")
