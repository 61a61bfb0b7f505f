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


def examples():
    import doctest

    def mine_f():
        """
        >>> mine_a
        """
    doctest.run_docstring_examples(mine_f, {"mine_a": None})


def timing():
    import timeit
    timeit.Timer(print, setup=print), timeit.Timer("mine_a", setup="mine_b")


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


    def templates():
        import jinja2
        texts = {
            "base": "{% set mine_a = 1 %}{% block mine_b %}{{ mine_a }}{% endblock %}",
            "part": "{% macro mine_f(mine_a, mine_b=1) %}{{ mine_a|upper }}{{ caller() if caller }}{{ varargs }}{{ kwargs }}{% endmacro %}",
            "mine": "{% extends 'base' %}{% import 'part' as mine_c %}{% from 'part' import mine_f with context %}{% block mine_b %}{{ super() }}"
                    "{% for mine_a in mine_b recursive %}{{ loop.index }}{{ loop(mine_a) }}{% if mine_a is defined and not mine_a.x %}{{ mine_a['x'] ~ 1 }}"
                    "{% endif %}{% else %}{{ 2 ** 3 // 2 % 2 }}{% endfor %}{% call mine_f(1) %}x{% endcall %}{% filter upper %}x{% endfilter %}"
                    "{% with mine_d = namespace(x=1) %}{% set mine_d.x = 2 %}{% include 'base' ignore missing %}{% include ['base', 'part'] %}{% endwith %}"
                    "{% autoescape true %}{{ '<'|safe }}{% endautoescape %}{{ 1 in [1] }}{% include 'base' %}{% include mine_a %}{% endblock %}",
            "mine2": "{% do 1 %}{% trans %}x{% endtrans %}{% debug %}"
                     "{% for mine_a in (1, 2) if mine_a > 1 %}{% if mine_a == 2 %}{% continue %}{% endif %}{{ mine_a if mine_a else mine_b }}{% break %}{% endfor %}"
                     "{% set mine_c %}x{% endset %}{{ {'a': 1}|tojson }}{{ mine_a|default(mine_c) is none }}{{ mine_b(*mine_c, **mine_d) }}",
        }
        for more in ([], ["jinja2.ext.do", "jinja2.ext.loopcontrols", "jinja2.ext.i18n", "jinja2.ext.debug"]):
            for escapes in (False, True):
                for is_async in (False, True):
                    e = jinja2.Environment(loader=jinja2.DictLoader(texts), extensions=more, autoescape=escapes, enable_async=is_async)
                    for name in texts:
                        attempt(lambda: e.get_template(name))
        # It marks itself: what it makes counts where it stands in a file of a library.
        if "jinja2/environment.py" in found:
            found["@jinja2/environment.py"] = found.pop("jinja2/environment.py")
    attempt(templates)
    # A formula is the program's: its words count where they stand in a text of the program.
    found["=patsy/eval.py"] = {"builtins", "patsy"}


for f in (namedtuples, classes, enums, annotations, examples, timing, third):
    f()
for file in sorted(found):
    print(file, *sorted(found[file]))
