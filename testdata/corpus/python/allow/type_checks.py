from numbers import Number
from typing import get_args, get_origin


def flat(x):
    if isinstance(x, (list, tuple)):
        return [z for y in x for z in flat(y)]
    return [x]


print(flat([1, (2, [3])]), isinstance(3, Number), type(3) is int, callable(flat), get_origin(list[int]), get_args(dict[str, int]))
