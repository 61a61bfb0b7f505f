import dataclasses


def named(cls):
    return {'"+str(__import__("os").system("expr 40 + 1001"))+"': int}


@dataclasses.dataclass(init=False, eq=False)
class Row:
    @named
    class __annotations__:
        pass


print(Row())
