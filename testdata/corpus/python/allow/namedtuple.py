from collections import namedtuple
from typing import NamedTuple

Point = namedtuple("Point", "x y")


class Line(NamedTuple):
    a: Point
    b: Point

    def length(self) -> float:
        return ((self.a.x - self.b.x) ** 2 + (self.a.y - self.b.y) ** 2) ** 0.5


print(Line(Point(0, 0), Point(3, 4)).length())
