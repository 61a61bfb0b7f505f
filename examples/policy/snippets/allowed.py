# expect: allow
import json

print(json.dumps({"total": sum(range(10))}))
