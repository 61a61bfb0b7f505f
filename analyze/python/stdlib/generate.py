"""Write python.txt: what the modules of the standard library export and leak.

Usage: python3 generate.py python3.9 python3.10 … > python.txt

Each interpreter imports its own standard library and reports, and the reports
are united. A line is

    module <TAB> public names <TAB> attribute=target …

where the public names are what a star import binds, and each attribute=target
is an attribute that holds another module ("random" has "_os=os") or a function
at home in another module ("tokenize" has "_builtin_open=builtins.open"). Where a
class holds a module, the attribute is Class.attribute ("pathlib" has
"PurePath.parser=os.path").
"""
import builtins
import importlib
import io
import json
import pkgutil
import subprocess
import sys
import sysconfig
import types
import warnings

# Importing these opens windows or browsers, prints, or loads the test suite.
SKIP = {"antigravity", "this", "idlelib", "tkinter", "turtle", "turtledemo", "test", "lib2to3", "ensurepip", "__main__"}

# Functions that matter are reported under these homes, wherever else they show up.
HOMES = {
    "builtins": ["builtins", "io", "_io"],
    "os": ["os", "posix", "nt"],
    "subprocess": ["subprocess"],
    "shutil": ["shutil"],
    "socket": ["socket", "_socket"],
    "importlib": ["importlib", "importlib._bootstrap"],
    "pickle": ["pickle", "_pickle"],
    "marshal": ["marshal"],
    "ctypes": ["ctypes", "_ctypes"],
    "runpy": ["runpy"],
    "code": ["code"],
    "sys": ["sys"],
    "signal": ["signal", "_signal"],
    "inspect": ["inspect"],
    "gc": ["gc"],
    "tempfile": ["tempfile"],
}
# And everything of these, classes, too: what they do goes with them.
WHOLE = ["functools", "operator", "types", "collections", "abc", "copy", "codecs", "itertools", "weakref", "binascii", "contextlib", "dataclasses", "asyncio", "sqlite3", "unittest", "csv", "zoneinfo"]
HARMLESS = {"len", "print", "range", "map", "filter", "zip", "sorted", "property", "staticmethod", "classmethod", "fspath", "fsencode", "fsdecode"}


def load(name):
    try:
        return importlib.import_module(name)
    except BaseException:  # a module may exit, or not be for this platform
        return None


def walk(name, found):
    if name.split(".")[0] in SKIP or name.endswith("__main__") or ".test" in name:
        return
    module = load(name)
    if module is None:
        return
    found[name] = module
    for sub in pkgutil.iter_modules(getattr(module, "__path__", [])):
        walk(name + "." + sub.name, found)


def homes():
    out = {}
    for name, owners in HOMES.items():
        for attr, v in vars(load(name)).items():
            function = callable(v) and not isinstance(v, type) or name in ("ctypes", "pickle")
            public = not attr.startswith("_") or attr == "__import__"
            if function and public and attr not in HARMLESS and getattr(v, "__module__", None) in owners:
                out.setdefault(id(v), name + "." + attr)
    for name in WHOLE:
        for attr, v in vars(load(name)).items():
            own = name == "types" or str(getattr(v, "__module__", "")).lstrip("_").split(".")[0] == name
            if callable(v) and own and not attr.startswith("_") and attr not in HARMLESS and not hasattr(builtins, getattr(v, "__name__", "")):
                out.setdefault(id(v), name + "." + attr)
    return out


def report():
    warnings.simplefilter("ignore")
    roots = set(getattr(sys, "stdlib_module_names", ())) or set(sys.builtin_module_names) | {
        m.name for m in pkgutil.iter_modules([sysconfig.get_paths()["stdlib"], sysconfig.get_config_var("DESTSHARED")])
    }
    real, sys.stdout, sys.stderr = sys.stdout, io.StringIO(), io.StringIO()
    found = {}
    for root in sorted(roots):
        walk(root, found)
    home = homes()
    sys.stdout = real
    out = {root: [[], {}] for root in roots}
    for name, module in found.items():
        public = getattr(module, "__all__", None)
        if public is None:
            public = [a for a in vars(module) if not a.startswith("_")]
        leaks = {}
        for attr, v in list(vars(module).items()):
            full = name + "." + attr
            if isinstance(v, types.ModuleType):
                if v.__name__ not in (full, "__main__") and v.__name__.split(".")[0] not in SKIP:
                    leaks[attr] = v.__name__
            elif name not in HOMES and home.get(id(v), full) != full and home[id(v)].rpartition(".")[0] != name:
                leaks[attr] = home[id(v)]
            elif isinstance(v, type) and not attr.startswith("_"):
                held = {a: o for c in reversed(v.__mro__) for a, o in vars(c).items() if not a.startswith("_")}
                leaks.update((attr + "." + a, o.__name__) for a, o in held.items() if isinstance(o, types.ModuleType))
        out[name] = [sorted(set(public)), leaks]
    json.dump(out, sys.stdout)


def main(interpreters):
    names, leaks = {}, {}
    for python in interpreters:
        run = subprocess.run([python, "-I", __file__], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
        for module, (public, leaked) in json.loads(run.stdout).items():
            names.setdefault(module, set()).update(public)
            leaks.setdefault(module, {}).update(leaked)
    for alias in ("posixpath", "ntpath"):
        for leaked in leaks.values():  # os.path is what programs call it
            for attr in [a for a, target in leaked.items() if target == alias]:
                leaked[attr] = "os.path"
    del leaks["os"]["path"]
    for module in sorted(names):
        pairs = " ".join(f"{a}={t}" for a, t in sorted(leaks[module].items()))
        print(module, " ".join(sorted(names[module])), pairs, sep="\t")


if __name__ == "__main__" and sys.argv[1:]:
    main(sys.argv[1:])
elif __name__ == "__main__":
    report()
