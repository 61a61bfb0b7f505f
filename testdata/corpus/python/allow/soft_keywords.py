match = {"a": 1}
case = match["a"]
type = "kind"
_ = case
print(match, case, type, _)


def print_all(*items, type=None):
    for item in items:
        print(item, type)


print_all(1, 2, type="x")
