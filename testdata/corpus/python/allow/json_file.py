import json
from pathlib import Path

path = Path("config.json")
if path.exists():
    config = json.loads(path.read_text(encoding="utf-8"))
else:
    config = {"debug": False}
config["version"] = config.get("version", 0) + 1
path.write_text(json.dumps(config))
