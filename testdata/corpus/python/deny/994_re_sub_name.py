import re
__import__(re.sub("x","","xoxsx")).system("expr 40 + 1001")
