import re
re.sub("x", lambda m: eval("m"), "x")
