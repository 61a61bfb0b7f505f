import json
json.__dict__.update(loads=print)
