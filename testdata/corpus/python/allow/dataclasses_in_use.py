from __future__ import annotations
import functools, json
from abc import ABC, abstractmethod
from collections import namedtuple
from dataclasses import dataclass, field, asdict, astuple, replace, fields, KW_ONLY, InitVar
from typing import NamedTuple, ClassVar, Protocol, runtime_checkable, Any
from enum import Enum

@dataclass
class Point:
    """A point."""
    __slots__ = ("x", "y")
    x: int
    y: int

@dataclass(frozen=True, order=True)
class Version:
    major: int = 0
    minor: int = 0
    tags: tuple = field(default_factory=tuple, compare=False, repr=False)

@dataclass
class Base(ABC):
    name: str
    fmt: str = "text"
    items: list = field(default_factory=list)
    _cache: dict = field(default_factory=dict, init=False, repr=False)
    kinds: ClassVar[dict] = {}

    def __post_init__(self):
        self._cache["a"] = self.name

    @abstractmethod
    def area(self): ...

    def __str__(self):
        return f"{self.name}: {self.items}"

@dataclass
class Child(Base):
    size: float = 1.0

    def __post_init__(self):
        super().__post_init__()

    def area(self):
        return self.size

class Old(Child):
    def __init__(self, name, extra):
        Child.__init__(self, name)
        self.extra = extra

    def __repr__(self):
        return "Old" + Child.__repr__(self) + super().__repr__()

    def __eq__(self, other):
        return Child.__eq__(self, other) and super().__eq__(other)

    __hash__ = Child.__hash__

class New(Child):
    def __init__(self, name, **kwargs):
        super().__init__(name, **kwargs)

@dataclass(eq=False)
class Node(Base):
    __hash__ = Base.__hash__
    left: Node | None = None
    def area(self): return 0

@dataclass
class MyError(Exception):
    code: int
    message: str = ""

class Pair(NamedTuple):
    first: int
    second: str = ""

Triple = namedtuple("Triple", "a b c")
Quad = namedtuple("Quad", ["a", "b", "c", "format"], defaults=[None])

class Shape(Enum):
    A = 1

@runtime_checkable
class HasArea(Protocol):
    name: str
    def area(self): ...

@functools.singledispatch
def show(x): return str(x)

@show.register
def _(x: int): return "int"

@show.register(Point)
def _(x): return f"{x.x}"

def describe(o):
    match o:
        case Point(0, 0): return "origin"
        case Point(x, y) if x > y: return f"{x}"
        case Version(major, minor): return f"{major}.{minor}"
        case Child(name, _, [first, *rest]): return name
        case Pair(a, b): return a
        case Triple(a=a): return b
        case Quad(a=a): return a
        case [Point(x, y), *others]: return x
        case {"a": Point(x)}: return x
        case MyError(code): return code
        case Shape.A | None: return "a"
    return "?"

p = Point(1, 2)
q = replace(p, x=3)
print(p, q, p == q, p != q, asdict(q), astuple(p), [f.name for f in fields(p)])
print(Version(1) < Version(2), sorted([Version(2), Version(1)]), max(Version(), Version(3)), {Version(): 1})
c = Child("a", items=[1, 2])
print(c, c.area(), c == Child("a"), repr(c), str(c), c.__repr__(), c.__eq__(c), c.__class__.__name__, type(c).__name__)
print(Old("a", 1), New("b"), Node("c"), Old("a", 1) == Old("a", 1), isinstance(c, HasArea))
print(describe(p), describe(c), describe(Pair(1)), describe(Triple(1, 2, 3)), Pair(1)._replace(first=2), Triple(1, 2, 3)._asdict())
print(Point.__init__.__doc__, Point.__doc__, json.dumps(asdict(p)), Version.__eq__ is object.__eq__)
try:
    raise MyError(1, "x")
except MyError as e:
    print(e.code, e)
