def multiply(a, b):
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]


def transpose(m):
    return [list(r) for r in zip(*m)]


print(multiply([[1, 2], [3, 4]], [[0, 1], [1, 0]]), transpose([[1, 2, 3]]))
