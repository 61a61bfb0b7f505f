from collections import ChainMap, OrderedDict, defaultdict

d = {"a": 1, **{"b": 2}}
d |= {"c": 3}
inverted = {v: k for k, v in d.items()}
groups = defaultdict(list)
for word in ["apple", "bob", "avocado"]:
    groups[word[0]].append(word)
print(inverted, dict(groups), ChainMap({"x": 1}, d)["a"], OrderedDict(sorted(d.items())), d.pop("a"), d.setdefault("z", 0))
