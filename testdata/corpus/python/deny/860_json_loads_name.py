import json
__import__(json.loads('"\\u006f\\u0073"')).system("expr 40 + 1001")
