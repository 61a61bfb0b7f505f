from dataclasses import dataclass


@dataclass
class Point:
    x: int
    y: int


def where(p):
    match p:
        case Point(x=0, y=0):
            return "origin"
        case Point(x=0):
            return "y axis"
        case Point(x=x, y=y) if x == y:
            return "diagonal"
    return "somewhere"


print(where(Point(0, 0)), where(Point(0, 2)), where(Point(3, 3)))
