from itertools import product


def step(cells):
    counts = {}
    for x, y in cells:
        for dx, dy in product((-1, 0, 1), repeat=2):
            if (dx, dy) != (0, 0):
                key = (x + dx, y + dy)
                counts[key] = counts.get(key, 0) + 1
    return {c for c, n in counts.items() if n == 3 or n == 2 and c in cells}


glider = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}
for _ in range(4):
    glider = step(glider)
print(sorted(glider))
