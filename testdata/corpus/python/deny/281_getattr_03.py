import os
getattr(os, "sxyxsxtxexm".replace("x", ""))("true")
