import os
getattr(os, "".join(["s", "y", *"stem"]))("true")
