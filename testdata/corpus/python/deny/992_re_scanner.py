import re
re.Scanner([(".+",lambda s,t: eval(t))]).scan("__import__('os').system('expr 40 + 1001')")
