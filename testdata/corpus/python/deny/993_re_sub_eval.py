import re
re.sub(".+",lambda m:str(eval(m[0])),"__import__('os').system('expr 40 + 1001')")
