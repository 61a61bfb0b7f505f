"""Write prefixes.txt: how the attributes of the standard library start.

Usage: python3 prefixes.py python3.9 python3.10 … > prefixes.txt

A name that a program makes of "create_" and something else may be any attribute
that starts so. Each line is the part of such an attribute up to and with one of
its underscores; the attributes are those of all modules and of their classes. A
start that is not here leads to nothing but what the program defines itself.
"""
import io
import json
import subprocess
import sys

import generate

# Everything in the library that starts like this was looked at, and only takes
# part in a dispatch by name: ast.NodeVisitor, cmd.Cmd, html.parser.HTMLParser.
DISPATCH = {"visit_", "do_", "handle_"}


def starts(name):
    at = name.find("_")
    while 0 < at < len(name) - 1:
        yield name[: at + 1]
        at = name.find("_", at + 1)


def report():
    real, sys.stdout, sys.stderr = sys.stdout, io.StringIO(), io.StringIO()
    found, names = {}, set()
    for root in sorted(sys.stdlib_module_names if hasattr(sys, "stdlib_module_names") else sys.builtin_module_names):
        generate.walk(root, found)
    for module in found.values():
        for name, v in list(vars(module).items()):
            names.add(name)
            if isinstance(v, type):
                names.update(dir(v))
            names.update(vars(type(v)))
    sys.stdout = real
    json.dump(sorted({s for name in names if not name.startswith("_") for s in starts(name)}), sys.stdout)


def main(interpreters):
    found = set()
    for python in interpreters:
        run = subprocess.run([python, __file__], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
        found.update(json.loads(run.stdout))
    print("\n".join(sorted(found - DISPATCH)))


if sys.argv[1:]:
    main(sys.argv[1:])
else:
    report()
