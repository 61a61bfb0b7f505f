from operator import attrgetter as a
a("__self__.eval")(print)("1")
