import os
from dataclasses import dataclass
@dataclass
class A:
    m: object
A(os).m.system("true")
