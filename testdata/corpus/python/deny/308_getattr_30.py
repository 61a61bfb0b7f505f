import os
getattr(os, "sys" * 1 + "tem")("true")
