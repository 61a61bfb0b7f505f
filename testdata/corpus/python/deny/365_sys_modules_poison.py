import sys
sys.modules["json"] = sys
import json
