import os
{"m": os}.get("m").system("true")
