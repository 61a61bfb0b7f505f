import json

text = '{"items": [{"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": []}]}'
data = json.loads(text)
flat = [(item["id"], tag) for item in data["items"] for tag in item["tags"]]
print(json.dumps({"flat": flat}, indent=2, sort_keys=True))
