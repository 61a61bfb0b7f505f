import json
json.loads("{}", object_hook=eval)
