from dataclasses import dataclass
import abc


@dataclass
class Shown(abc.ABC):
    format: object


def f():
    pass


Shown.register(str)
match "".join(["{0.__glo", "bals__}"]):
    case Shown(g):
        print(g(f)[:0] + "1041")
