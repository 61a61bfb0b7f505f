"""Write lent.txt: the methods of the classes of the standard library that do what the attributes of an object say.

Usage: python3 lent.py python3.9 python3.10 … > lent.txt

Whoever has such a class instead of an object of it gives a method any object. A line is
a module, and the methods that its classes define; of those that the interpreter calls by
itself there are only some.
"""
import importlib
import types

import versions

MODULES = "argparse contextlib shlex string".split()
CALLED = {"__aenter__", "__aexit__", "__iter__", "__next__", "__contains__"}


def report():
    out = {}
    for name in MODULES:
        names = set()
        for cls in vars(importlib.import_module(name)).values():
            if isinstance(cls, type) and cls.__module__ == name:
                names |= {n for n, v in vars(cls).items() if isinstance(v, (types.FunctionType, classmethod)) and (n in CALLED or not n.startswith("_"))}
        out[name] = sorted(names)
    return out


versions.write(report)
