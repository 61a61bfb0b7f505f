import yaml

doc = yaml.safe_load("a: 1\nb: [x, y]\n")
print(yaml.safe_dump(doc, sort_keys=True))
