a, b = {1, 2, 3}, {2, 3, 4}
print(a & b, a | b, a - b, a ^ b, a <= b, frozenset(a))
a.update(b)
a.discard(1)
print({x % 2 for x in a}, a.issuperset({2}))
