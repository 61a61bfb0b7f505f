import json
import os
getattr(os, json.loads('"system"'))("true")
