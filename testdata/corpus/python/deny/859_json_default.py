import json
json.dumps({1,2},default=lambda o: eval("__import__('os').system('expr 40 + 1001')"))
