import ast
from dataclasses import dataclass


@dataclass
class Node:
    _fields: object


for name, value in ast.iter_fields(Node(("".join(["__redu", "ce_ex__"]),))):
    print(str(value(2))[:0] + "1041")
