class Vec:
    def __init__(self, *xs):
        self.xs = xs

    def __add__(self, other):
        return Vec(*(a + b for a, b in zip(self.xs, other.xs)))

    def __mul__(self, k):
        return Vec(*(x * k for x in self.xs))

    def __matmul__(self, other):
        return sum(a * b for a, b in zip(self.xs, other.xs))

    def __getitem__(self, i):
        return self.xs[i]

    def __repr__(self):
        return f"Vec{self.xs}"


print(Vec(1, 2) + Vec(3, 4) * 2, Vec(1, 2) @ Vec(3, 4), Vec(1, 2)[0])
