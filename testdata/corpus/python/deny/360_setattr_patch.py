import json, os
setattr(json, "loads", os.system)
json.loads("true")
