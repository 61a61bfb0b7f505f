from dataclasses import dataclass


@dataclass
class Shown:
    __self__: object


print(Shown.__repr__(print)[:0] + "1041")
