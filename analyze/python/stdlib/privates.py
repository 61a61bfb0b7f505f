"""Write privates.txt: the private attributes of the classes of the standard library.

Usage: python3 privates.py python3.9 python3.10 … > privates.txt

A program that calls one, or puts something under its name, works with the inside
of a class that no catalog describes. A line is a class by its qualified name, and
the names that it and the classes above it define or give to self; those of the
modules that strict lists.
"""
import ast
import importlib
import inspect

import versions

MODULES = """argparse ast asyncio calendar codecs collections concurrent.futures configparser contextlib contextvars copy csv
 dataclasses datetime decimal difflib enum fractions functools graphlib gzip bz2 lzma html.parser io ipaddress itertools json
 json.decoder json.encoder logging mimetypes numbers operator pathlib plistlib pprint queue random reprlib sched secrets shlex
 statistics string struct tempfile textwrap threading timeit tokenize traceback types typing unittest uuid warnings weakref
 xml.etree.ElementTree zoneinfo""".split()

# Their functions give out objects of classes that are private themselves, which remove
# files and assign to attributes.
GIVING = {"argparse", "contextlib", "tempfile"}


def private(name):
    return name.startswith("_") and len(name) > 1 and not name.startswith("__")


def given(cls):
    """The private names that the source of a class gives to self."""
    try:
        tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(cls)))
    except (OSError, TypeError, SyntaxError, IndentationError):
        return set()
    return {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and private(n.attr)
            and isinstance(n.value, ast.Name) and n.value.id in ("self", "cls")}


def report():
    out = {}
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        for attr, v in list(vars(module).items()):
            if attr.startswith("__" if name in GIVING else "_"):
                continue
            if not isinstance(v, type) or v.__module__ == "builtins" or issubclass(v, BaseException):
                continue
            if v.__module__.split(".")[0].lstrip("_") != name.split(".")[0]:
                continue  # of another module, which has it under its own name
            names = {n for n in dir(v) if private(n)}
            for above in v.__mro__:
                names |= given(above)
            if names:
                out[name + "." + attr] = sorted(names)
    return out


versions.write(report)
