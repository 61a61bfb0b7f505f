import copy

a = {"x": [1, 2]}
b = copy.deepcopy(a)
b["x"].append(3)
c = copy.copy(a)
print(a, b, c is a, c["x"] is a["x"])
