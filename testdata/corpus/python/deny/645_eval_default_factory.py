import collections
collections.defaultdict(lambda: eval("1"))["x"]
