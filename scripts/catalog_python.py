"""Write policies/catalog/python-library.txt: every public name of the library.

Usage: python3 scripts/catalog_python.py python3.9 python3.10 … > policies/catalog/python-library.txt

Each interpreter lists the public names of its modules and reads its own source:
which of the symbols that catalog/python.txt says to be able to do something does
a function, a class being made, or a method come to, through whatever else it calls?
A name that comes to nothing is benign. One that does must be in REVIEWED, or in
catalog/python.txt, by itself; what is in neither gets what was found, so that it is
judged by the worst that it does until somebody has looked.
"""
import builtins
import dis
import importlib
import inspect
import io
import json
import pathlib
import subprocess
import sys
import types
import warnings

HERE = pathlib.Path(__file__).resolve().parent
CATALOG = HERE.parent / "policies" / "catalog"

# Modules whose members catalog/python.txt lists one by one, or denies as a whole,
# are not here. What a module loads of others by these is told by their own names.
QUIET = {
    # Writing a message, finding a line of source or a translation for it.
    "warnings", "linecache", "traceback", "gettext", "locale", "reprlib", "copyreg", "logging", "pprint",
    # What every import and every class goes through.
    "importlib", "importlib._bootstrap", "importlib._bootstrap_external", "abc", "_py_abc", "enum", "_collections_abc", "re", "threading", "weakref", "contextlib", "types",
}

# What is taken from the source: of methods, only the first.
STRONG = {"process", "code.eval", "code.load", "native", "deserialize", "network"}
FILES = {"filesystem.read", "filesystem.write"}

# Names whose source comes to something, and what somebody who read it says.
REVIEWED = {
    line.split()[0]: line.split()[1]
    for line in (HERE / "catalog_python.tsv").read_text().splitlines()
    if line.strip() and not line.startswith("#")
}


def tables():
    exact, modules = {}, {}
    for name in ("python.txt",):
        for line in (CATALOG / name).read_text().splitlines():
            fields = line.split("#")[0].split()
            if len(fields) != 2 or fields[0].startswith("."):
                continue
            (modules if fields[0].endswith(".*") else exact)[fields[0].removesuffix(".*") if hasattr(str, "removesuffix") else fields[0].rstrip("*").rstrip(".")] = fields[1].split(",")
    return exact, modules


EXACT, MODULES = tables()


def capabilities(name):
    """What the catalog says of a qualified name, by its longest pattern."""
    at = name
    while True:
        if at in EXACT and at != "":
            return EXACT[at]
        if at in MODULES:
            return MODULES[at]
        if "." not in at:
            return []
        at = at.rpartition(".")[0]


class Reach:
    def __init__(self):
        self.memo, self.busy = {}, set()

    def of(self, v, cls=None):
        """The symbols with a capability that calling v comes to."""
        for _ in range(10):
            if isinstance(v, types.FunctionType) and isinstance(getattr(v, "__wrapped__", None), types.FunctionType):
                v = v.__wrapped__
        if isinstance(v, (staticmethod, classmethod)):
            v = v.__func__
        if isinstance(v, property):
            return self.of(v.fget, cls) if v.fget else set()
        if isinstance(v, types.MethodType):
            return self.of(v.__func__, type(v.__self__))
        if isinstance(v, type):
            out = set()
            for maker in ("__new__", "__init__"):
                out |= self.of(getattr(v, maker, None), v)
            return out
        if not isinstance(v, types.FunctionType):
            return set()
        key = (v.__code__, cls)
        if key in self.memo:
            return self.memo[key]
        if key in self.busy or len(self.busy) > 60:
            return set()
        self.busy.add(key)
        out = set()
        self.code(v.__code__, v.__globals__, cls, out)
        self.busy.discard(key)
        self.memo[key] = out
        return out

    def code(self, code, scope, cls, out):
        for const in code.co_consts:
            if isinstance(const, types.CodeType):
                self.code(const, scope, cls, out)
        local, at, own = {}, None, False
        for ins in dis.get_instructions(code):
            name = ins.argval
            if ins.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                self.used(at, scope, out)
                at, own = scope.get(name, getattr(builtins, name, None)), False
            elif ins.opname == "IMPORT_NAME":
                try:
                    at, own = importlib.import_module(name.split(".")[0]) if name else None, False
                except BaseException:
                    at = None
            elif ins.opname in ("STORE_FAST", "STORE_DEREF") and isinstance(at, types.ModuleType):
                local[name] = at
                at = None
            elif ins.opname.startswith("LOAD_FAST") and isinstance(name, str) or ins.opname == "LOAD_DEREF":
                self.used(at, scope, out)
                own = name in ("self", "cls") and cls is not None
                at = local.get(name)
            elif ins.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                if own:
                    v = inspect.getattr_static(cls, name, None)
                    out |= self.of(v, cls) if v is not None else set()
                    at = None
                elif at is not None:
                    at = getattr(at, name, None)
                own = False
            elif ins.opname in ("PUSH_NULL", "CACHE", "PRECALL", "NOP", "RESUME"):
                continue
            else:
                self.used(at, scope, out)
                at, own = None, False
        self.used(at, scope, out)

    def used(self, v, scope, out):
        if v is None or isinstance(v, types.ModuleType) or not callable(v):
            return
        home = getattr(v, "__module__", None) or "builtins"
        qualified = getattr(v, "__qualname__", None) or getattr(v, "__name__", None)
        if not isinstance(home, str) or not isinstance(qualified, str):
            return
        name = home + "." + qualified
        name = {"posix": "os", "_io": "io", "nt": "os", "_socket": "socket", "_thread": "_thread"}.get(home, home) + name[len(home):]
        if name == "io.open":
            name = "builtins.open"
        found = [c for c in capabilities(name) if c not in ("benign", "unknown")]
        if found:
            out.add((name, ",".join(found)))
        elif home not in QUIET and (home != scope.get("__name__") or isinstance(v, (types.FunctionType, type))):
            out |= self.of(v)


def listed(module):
    """Whether the catalog leaves the members of this module to this list."""
    at = module
    while at:
        if at in MODULES:
            return MODULES[at] == ["benign"]
        if at in EXACT:
            return False
        at = at.rpartition(".")[0]
    return module not in ("os", "sys", "fcntl")


def report():
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(HERE.parent / "analyze" / "python" / "stdlib"))
    import generate

    real, sys.stdout = sys.stdout, io.StringIO()
    found, reach, out = {}, Reach(), {}
    for root in sorted(getattr(sys, "stdlib_module_names", ()) or set(sys.builtin_module_names) | set(MODULES)):
        generate.walk(root, found)
    for name, module in found.items():
        if not listed(name):
            continue
        members = out[name] = {}
        for attr, v in list(vars(module).items()):
            if attr.startswith("_") or isinstance(v, types.ModuleType):
                continue
            home = getattr(v, "__module__", None)
            if callable(v) and isinstance(home, str) and home != name and not home.startswith("_") and not name.startswith(home + ".") and not home.startswith(name + "."):
                at = home + "." + (getattr(v, "__qualname__", None) or attr)  # of another module: as it is there
                caps = [c for c in capabilities(at) if c not in ("benign", "unknown")]
                members[attr] = [(at, ",".join(caps))] if caps else []
                continue
            members[attr] = sorted(reach.of(v)) if callable(v) else []
            holder = v if isinstance(v, type) else type(v) if getattr(type(v), "__module__", "") == name else None
            if holder is None:
                continue
            for method in dir(holder):
                if method.startswith("_"):
                    continue
                got = sorted(reach.of(inspect.getattr_static(holder, method, None), holder))
                if got:
                    members[attr + "." + method] = got
    sys.stdout = real
    json.dump(out, sys.stdout)


def main(interpreters):
    union = {}
    for python in interpreters:
        run = subprocess.run([python, __file__], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
        for module, members in json.loads(run.stdout).items():
            for name, found in members.items():
                union.setdefault(module, {}).setdefault(name, set()).update((a, b) for a, b in found)
    todo, printed = 0, set()
    print("# Written by scripts/catalog_python.py: every public name of the standard library by itself,\n# for the modules that python.txt does not list. A line that ends in a dot is the module alone.\n")
    for module in sorted(union):
        benign, capable = [], []
        for name, found in sorted(union[module].items()):
            full = module + "." + name
            if full in EXACT:
                continue
            caps = REVIEWED.get(full)
            if caps is None:
                known = {c for _, cs in found for c in cs.split(",")}
                caps = ",".join(sorted(known & (STRONG if "." in name else STRONG | FILES)))
                if caps:
                    todo += 1
                    print("unreviewed:", full, caps, "through", " ".join(sorted(n for n, _ in found)[:4]), file=sys.stderr)
            if not caps or caps == "benign":
                if "." not in name:
                    benign.append(name)
            else:
                capable.append((full, caps))
        own = MODULES.get(module, ["benign"])
        print(f"{module}. {','.join(own)}")
        if benign:
            print(f"{module}.{{{','.join(benign)}}} benign")
        for full, caps in capable:
            print(full, caps)
            printed.add(full)
    for full, caps in sorted(REVIEWED.items()):  # of objects and of other versions, by what was read
        if caps != "benign" and full not in printed and full not in EXACT:
            print(full, caps)
    print(todo, "unreviewed", file=sys.stderr)


if sys.argv[1:]:
    main(sys.argv[1:])
else:
    report()
