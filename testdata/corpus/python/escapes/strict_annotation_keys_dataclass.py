import dataclasses
@dataclasses.dataclass(init=False, eq=False)
class X:
    __annotations__ = {'''"+str(__import__('os').system('expr 1000 + 41'))+"''': int}
repr(X())
