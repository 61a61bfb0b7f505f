"""Tells shapes apart by what they are and hold."""
import math
from collections import namedtuple

Circle = namedtuple("Circle", "radius")
Box = namedtuple("Box", ["width", "height"])


def area(shape):
    match shape:
        case Circle(radius):
            return math.pi * radius**2
        case Box(width, height) if width == height:
            return width**2
        case Box(width, height):
            return width * height
    raise ValueError(f"no shape: {shape!r}")


for shape in (Circle(1), Box(2, 2), Box(width=2, height=3)):
    print(type(shape).__name__, round(area(shape), 2))
