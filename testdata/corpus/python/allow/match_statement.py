def describe(p):
    match p:
        case {"type": "circle", "r": r}:
            return f"circle {r}"
        case [x, y]:
            return f"pair {x} {y}"
        case [first, *rest]:
            return f"list {first} +{len(rest)}"
        case str() as s if s:
            return "text " + s
        case int(n) | float(n):
            return f"number {n}"
        case None:
            return "nothing"
        case _:
            return "?"


for p in ({"type": "circle", "r": 2}, [1, 2], [1, 2, 3], "x", 4, None, object()):
    print(describe(p))
