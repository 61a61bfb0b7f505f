from dataclasses import dataclass


@dataclass
class Shown:
    format: object


def f():
    pass


class Taker:
    def __eq__(self, g):
        print(g(f)[:0] + "1041")
        return True


class Text:
    format = Taker()
    __class__ = str


Shown.__eq__("".join(["{0.__glo", "bals__}"]), Text())
