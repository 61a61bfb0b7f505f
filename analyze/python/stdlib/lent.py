"""Write lent.txt: the methods of the classes of the standard library that do what the attributes of an object say.

Usage: python3 lent.py python3.9 python3.10 … > lent.txt

Whoever has such a class instead of an object of it gives a method any object. A line is
a module, and the methods that its classes define; of those that the interpreter calls by
itself there are only some.
"""
import importlib
import json
import subprocess
import sys
import types

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
    json.dump(out, sys.stdout)


def main():
    found = {}
    for interpreter in sys.argv[1:]:
        text = subprocess.run([interpreter, "-W", "ignore", __file__, "--report"], check=True, capture_output=True, text=True).stdout
        for name, names in json.loads(text).items():
            found.setdefault(name, set()).update(names)
    for name in sorted(found):
        print(name + "\t" + " ".join(sorted(found[name])))


if sys.argv[1:] == ["--report"]:
    report()
else:
    main()
