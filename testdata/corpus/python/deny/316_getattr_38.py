import os
getattr(os, "s" "y" "s" f"tem")("true")
