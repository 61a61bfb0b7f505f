import collections, os
collections.namedtuple("N", "m")(os).m.system("true")
