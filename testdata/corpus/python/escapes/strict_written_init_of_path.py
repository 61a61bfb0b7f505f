from dataclasses import dataclass
from pathlib import Path


@dataclass
class Named:
    _str: str


class Below(Named):
    pass


p = Path("a.txt")
list(map(Below.__init__, [p], ["".join(["/proc", "/version"])]))
print(p.read_text()[:0] + "1041")
