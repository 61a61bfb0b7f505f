import yaml
yaml.load("a: 1", Loader=yaml.Loader)
