from pprint import pformat, pprint

data = {"a": [{"b": i, "c": list(range(i))} for i in range(4)]}
pprint(data, width=40)
print(len(pformat(data)))
