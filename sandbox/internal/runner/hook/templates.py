# Prints the names that the code has which libraries make by themselves: each
# library is run with every way it has of making some, under an audit hook that
# looks at what comes to be executed. The names that were put in are left out,
# and where one of them is a part of a name, "*" stands for it.
# scripts/templates runs it on every version; the result is makers.txt.
import re
import sys

mine = {"int", "str", "Mine", "Mine2", "mine_a", "mine_b", "mine_c", "mine_d", "mine_f"}
found = {}


def names(code):
    out = {part for name in code.co_names for part in name.split(".")}
    for c in code.co_consts:
        if isinstance(c, type(code)):
            out |= names(c)
    return out


def hook(event, args):
    if event != "exec" or not hasattr(args[0], "co_names"):
        return
    frame = sys._getframe(1)
    file = frame.f_code.co_filename
    if file.startswith("<frozen") or file == __file__:
        return
    for root in sorted(sys.path, key=len, reverse=True):
        if root and file.startswith(root + "/"):
            new = set()
            for name in names(args[0]) - mine:
                for m in mine:
                    name = name.replace(m, "*")
                new.add(name)
            found.setdefault(file[len(root) + 1:], set()).update(new)
            return


def attempt(f):
    try:
        f()
    except Exception:
        pass


import collections, dataclasses, enum, functools, inspect, typing
sys.addaudithook(hook)


def namedtuples():
    collections.namedtuple("Mine", "mine_a mine_b", defaults=[1])(1)._replace(mine_a=2)
    typing.NamedTuple("Mine2", [("mine_a", int)])


def classes():
    options = [{}, {"order": True}, {"frozen": True}, {"eq": False}, {"init": False}, {"unsafe_hash": True}, {"repr": False},
               {"slots": True}, {"kw_only": True}, {"weakref_slot": True, "slots": True}, {"match_args": False}, {"slots": True, "frozen": True}]
    for option in options:
        def make():
            class Mine:
                mine_a: int
                mine_b: "str" = "x"
                mine_c: list = dataclasses.field(default_factory=list, compare=False)
                mine_d: dataclasses.InitVar[int] = 0
                mine_f: typing.ClassVar[int] = 3

                def __post_init__(self, mine_d):
                    pass
            c = dataclasses.dataclass(**option)(Mine)
            repr(c(1)), c(1) == c(1)
        attempt(make)
    dataclasses.make_dataclass("Mine", ["mine_a", ("mine_b", int), ("mine_c", int, 3)])


def enums():
    class Mine(enum.Enum):
        mine_a = enum.auto()

    class Mine2(enum.IntFlag):
        mine_a = 1
        mine_b = 2
    Mine2.mine_a | Mine2.mine_b
    enum.Enum("Mine", "mine_a mine_b")


def annotations():
    def mine_f(mine_a: "int", mine_b: "str" = None) -> "Mine":
        pass
    attempt(lambda: typing.get_type_hints(mine_f, {"Mine": int}))
    attempt(lambda: inspect.signature(mine_f, eval_str=True))
    attempt(lambda: functools.singledispatch(lambda x: x).register(int, print))
    import builtins, math, time, re, json, os, io, itertools, operator, struct, zlib, socket, sqlite3, datetime, decimal
    for m in (builtins, math, time, re, json, os, io, itertools, operator, struct, zlib, socket, sqlite3, datetime, decimal, collections, functools):
        for thing in list(vars(m).values()):
            attempt(lambda: inspect.signature(thing))


def third():
    def attrs():
        import attr

        @attr.s(hash=True, order=True)
        class Mine:
            mine_a = attr.ib(converter=int, validator=lambda *a: None)
            mine_b = attr.ib(factory=list)

        @attr.s(frozen=True, slots=True)
        class Mine2:
            mine_a = attr.ib(default=1, on_setattr=attr.setters.NO_OP)
        repr(Mine(1)), Mine2()
    attempt(attrs)

    def decorators():
        from networkx.utils import argmap

        @argmap(str, 0)
        def mine_f(mine_a):
            pass
        mine_f(1)
        names = found.get("networkx/utils/decorators.py")
        if names:
            # Behind the name of the function stands a number, which is another one each time.
            found["networkx/utils/decorators.py"] = {re.sub(r"\*_\d+$", "*", n) for n in names}
    attempt(decorators)


for f in (namedtuples, classes, enums, annotations, third):
    f()
for file in sorted(found):
    print(file, *sorted(found[file]))
