from enum import Enum, IntFlag, auto


class Color(Enum):
    RED = auto()
    GREEN = auto()


class Perm(IntFlag):
    READ = 1
    WRITE = 2


print(Color["RED"].value, Perm.READ | Perm.WRITE, [c.name for c in Color])
