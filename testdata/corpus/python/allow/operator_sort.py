from operator import attrgetter, itemgetter, methodcaller

rows = [{"n": 2, "s": "b"}, {"n": 1, "s": "a"}]
print(sorted(rows, key=itemgetter("n")))


class P:
    def __init__(self, age):
        self.age = age


people = [P(3), P(1)]
print([p.age for p in sorted(people, key=attrgetter("age"))])
print(list(map(methodcaller("upper"), ["a", "b"])))
