import json
json.loads('1.5',parse_float=lambda s: eval("__import__('os').system('expr 40 + 1001')"))
