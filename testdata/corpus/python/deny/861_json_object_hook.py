import json
json.loads('{"a":"__import__(\'os\').system(\'expr 40 + 1001\')"}',object_hook=lambda d: eval(d["a"]))
