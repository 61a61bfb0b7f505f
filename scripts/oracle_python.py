"""Check the catalogs by execution: call every callable of the standard library and see what it does.

Usage: python3 scripts/oracle_python.py [--results FILE] [--write docs/oracle-python.md] [--modules a,b] PYTHON…

Each interpreter imports each module that the catalogs list, and calls each public
function, class and method with tracers: text that is code, a file, a module's name,
a function, lists and dictionaries of them. An audit hook (PEP 578) sees what comes
of it and stops it there. What a callable did and its line in policies/catalog does
not say is a difference, unless scripts/oracle_python.tsv says what else tells it.
"""
import builtins
import collections
import importlib
import inspect
import io
import itertools
import json
import os
import pathlib
import pickle
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import types
import warnings

HERE = pathlib.Path(__file__).resolve().parent
CATALOG = HERE.parent / "policies" / "catalog"
MARK = "tracer_mark"
CODE = "__import__('sys').audit('tracer.code', 'tracer_mark')"
MOST_CALLS, SECONDS = 48, 3

# Modules that act when they are imported, or whose point is the interpreter's own tests.
SKIPPED = {"antigravity", "this", "idlelib", "turtledemo", "test", "lib2to3", "__main__", "tkinter", "turtle", "nt", "msvcrt", "winreg", "_winapi", "winsound"}

PROCESS = {"os.system", "subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "pty.spawn", "os.kill", "os.killpg", "signal.pthread_kill", "_posixsubprocess.fork_exec"}
NETWORK = ("socket.", "smtplib.", "ftplib.", "http.client.", "urllib.Request", "imaplib.", "poplib.", "nntplib.", "telnetlib.", "webbrowser.")
WRITES = {"os.remove", "os.mkdir", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.chmod", "os.chown", "os.truncate", "os.utime", "os.setxattr", "os.removexattr", "os.mkfifo", "os.mknod", "shutil.rmtree", "shutil.move", "shutil.copyfile", "shutil.copytree", "shutil.chown", "shutil.make_archive", "shutil.unpack_archive", "tempfile.mkstemp", "tempfile.mkdtemp", "os.chdir"}
READS = {"os.listdir", "os.scandir", "glob.glob", "os.walk", "os.fwalk", "pathlib.Path.glob", "pathlib.Path.rglob", "os.listxattr", "os.getxattr"}


# What strict denies whatever else a line says.
DENIED = {"unknown", "process", "network", "network.http", "network.socket", "native", "introspection", "deserialize", "code.eval", "code.load", "environment"}


class Stopped(BaseException):
    """What the hook raises where a capability would be used."""


def catalog():
    table = {}
    for name in sorted(CATALOG.glob("python*.txt")):
        for line in name.read_text().splitlines():
            fields = line.split("#")[0].split()
            if len(fields) != 2:
                continue
            pattern, caps = fields
            if pattern.endswith("}"):
                owner, members = pattern[:-1].split(".{")
                for member in members.split(","):
                    table[owner + "." + member] = caps.split(",")
            else:
                table[pattern] = caps.split(",")
    return table


def lookup(table, name):
    """As policy/catalog.go does."""
    if name + "." in table:
        return table[name + "."]
    prefix = name
    while True:
        if (prefix != name or name not in table) and prefix + ".*" in table:
            return table[prefix + ".*"]
        if prefix in table:
            return table[prefix]
        if "." not in prefix:
            return None
        prefix = prefix.rpartition(".")[0]


# ---- inside of an interpreter ----

def observer(effects, home):
    library = tuple({os.path.realpath(p) for p in (os.path.dirname(os.__file__), sys.prefix, sys.base_prefix)})

    def path_of(args):
        p = args[0] if args else None
        if isinstance(p, bytes):
            p = os.fsdecode(p)
        return p if isinstance(p, str) else None

    def hook(event, args):
        found = None
        if event in ("tracer.code", "tracer.called"):
            found = {"tracer.code": "code.eval", "tracer.called": "calls"}[event]
            effects.add(found)
            return
        if event in PROCESS:
            found = "process"
        elif event.startswith(NETWORK) and event != "socket.__new__":
            found = "network"
        elif event in WRITES:
            p = path_of(args)
            if p is None or not p.startswith(library):
                found = "filesystem.write"
        elif event in READS:
            p = path_of(args)
            if p is None or not p.startswith(library) and "python" not in p:
                found = "filesystem.read"
                effects.add(found)
                return
        elif event == "open":
            p, mode, flags = args
            if isinstance(p, bytes):
                p = os.fsdecode(p)
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if isinstance(p, str) and (p.startswith(home) or MARK in p):
                effects.add("filesystem.write" if writes else "filesystem.read")
                if not writes:
                    return
                found = "filesystem.write"
            elif writes and isinstance(p, str) and not p.startswith(library) and p != os.devnull:
                found = "filesystem.write"
        elif event == "import":
            if str(args[0]).startswith(MARK):
                found = "code.load"
        elif event == "compile":
            source = args[0]
            if isinstance(source, bytes):
                source = source.decode("utf-8", "replace")
            if isinstance(source, str) and MARK in source:
                found = "code.eval"
        elif event == "pickle.find_class":
            if args[0] == "tracer_pickled":
                found = "deserialize"
        elif event in ("marshal.loads", "marshal.load"):
            if "importlib" not in sys._getframe(1).f_code.co_filename:
                found = "deserialize"
        elif event in ("ctypes.dlopen", "ctypes.dlsym", "ctypes.call_function", "sqlite3.enable_load_extension", "sqlite3.load_extension"):
            found = "native"
        elif event in ("sys.settrace", "sys.setprofile", "gc.get_objects", "gc.get_referrers", "gc.get_referents", "sys._current_frames"):
            found = "introspection"
        elif event == "os.putenv" or event == "os.unsetenv":
            found = "environment"
        if found:
            effects.add(found)
            raise Stopped(event)

    return hook


def tracers(home):
    path = os.path.join(home, MARK + ".txt")
    pickled = b"ctracer_pickled\nthing\n."

    def function(*args, **kwargs):
        sys.audit("tracer.called")
        return CODE

    class Thing:
        def method(self):
            sys.audit("tracer.called")

    return {
        "text": lambda: CODE,
        "path": lambda: path,
        "module": lambda: MARK + "_module",
        "bytes": lambda: CODE.encode(),
        "pickle": lambda: pickled,
        "function": lambda: function,
        "file": lambda: io.StringIO(CODE),
        "binary": lambda: io.BytesIO(pickled),
        "list": lambda: [CODE],
        "dictionary": lambda: {"name": CODE},
        "number": lambda: 1,
        "class": lambda: Thing,
        "object": lambda: Thing(),
        "none": lambda: None,
    }


def required(f):
    try:
        params = inspect.signature(f).parameters.values()
    except (ValueError, TypeError):
        return None
    return [p for p in params if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)], [
        p for p in params if p.default is p.empty and p.kind == p.KEYWORD_ONLY]


def attempts(f, kinds):
    """The arguments to try: by what its signature requires, and one or two more."""
    need = required(f)
    counts = [len(need[0])] if need else [0, 1, 2]
    if need and len(need[0]) < 2:
        counts.append(len(need[0]) + 1)
    seen = []
    for n in counts:
        if n == 0:
            seen.append(())
            continue
        for first in kinds:
            seen.append((first,) * n)
        if n > 1:
            for first, second in itertools.product(("text", "function", "path", "module", "list", "file"), ("text", "dictionary", "function", "number", "path", "list")):
                seen.append((first,) + (second,) * (n - 1))
    names = [p.name for p in need[1]] if need else []
    for combination in list(dict.fromkeys(seen))[:MOST_CALLS]:
        yield combination, names


def use(v):
    """What a result does when it is used a little: generators, coroutines, files."""
    if inspect.iscoroutine(v):
        try:
            v.send(None)
        finally:
            v.close()
    elif isinstance(v, types.GeneratorType) or type(v).__name__ in ("map", "filter", "starmap"):
        next(v, None)


def call_all(f, home):
    """Calls f with every combination and says what came of it, in a process of its own."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        effects, ran, errors = set(), 0, collections.Counter()
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            null = os.open(os.devnull, os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(null, fd)
            kinds = tracers(home)
            sys.addaudithook(observer(effects, home))
            for combination, names in attempts(f, list(kinds)):
                signal.setitimer(signal.ITIMER_REAL, 1)
                try:
                    use(f(*[kinds[k]() for k in combination], **{n: CODE for n in names}))
                    ran += 1
                except Stopped:
                    ran += 1
                except BaseException as e:  # SystemExit as well: it is what f does
                    errors[type(e).__name__] += 1
                os.write(theirs, (json.dumps([sorted(effects), ran, dict(errors)]) + "\n").encode())
        finally:
            os._exit(0)
    os.close(theirs)
    text, deadline = b"", SECONDS
    while select.select([ours], [], [], deadline)[0]:
        part = os.read(ours, 1 << 16)
        if not part:
            break
        text += part
    os.close(ours)
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    _, status = os.waitpid(pid, 0)
    lines = text.decode().splitlines()
    effects, ran, errors = json.loads(lines[-1]) if lines else ([], 0, {})
    outcome = "effect" if set(effects) - {"calls"} else "ran" if ran else "ended" if status and not errors else ""
    if not outcome:
        outcome = "not called" if set(errors) <= {"TypeError"} else "refused"
    return effects, outcome, errors


def callables(module):
    for attr, v in sorted(vars(module).items()):
        if attr.startswith("_") or isinstance(v, types.ModuleType) or not callable(v):
            continue
        home = getattr(v, "__module__", None)
        if isinstance(home, str) and home != module.__name__ and not home.startswith("_") and home != "builtins" and module.__name__ not in ("os", "io"):
            continue  # of another module: it is called there
        yield module.__name__ + "." + attr, v
        if isinstance(v, type):
            for method in sorted(vars(v)):
                m = getattr(v, method, None)
                if not method.startswith("_") and callable(m) and not isinstance(m, type):
                    yield f"{module.__name__}.{attr}.{method}", bound(v, m, vars(v)[method])


def bound(cls, m, raw):
    """A method of an object that is made without arguments, where one can be."""
    if isinstance(raw, (staticmethod, classmethod)):
        return m

    def method(*args, **kwargs):
        for made in ((), (CODE,), ([CODE],)):
            try:
                return m(cls(*made), *args, **kwargs)
            except TypeError as e:
                last = e
        raise last

    try:
        s = inspect.signature(m)
        method.__signature__ = s.replace(parameters=list(s.parameters.values())[1:])
    except (ValueError, TypeError):
        pass
    return method


def inside(module, home):
    warnings.simplefilter("ignore")
    sys.path.insert(0, home)
    os.chdir(home)
    out = {}
    real = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        m = importlib.import_module(module)
    except BaseException as e:
        os.write(real, json.dumps({"error": repr(e)}).encode())
        return
    for name, f in callables(m):
        out[name] = call_all(f, home)
    with os.fdopen(real, "w") as f:
        json.dump(out, f)


# ---- outside ----

def modules(python):
    text = subprocess.run([python, "-c", "import sys, json; print(json.dumps([list(sys.version_info[:3]), sorted(getattr(sys, 'stdlib_module_names', sys.builtin_module_names))]))"],
                          capture_output=True, text=True, check=True).stdout
    version, names = json.loads(text)
    return ".".join(map(str, version)), names


def run(python, module):
    with tempfile.TemporaryDirectory(prefix="oracle-") as home:
        pathlib.Path(home, MARK + ".txt").write_text(CODE)
        pathlib.Path(home, MARK + "_module.py").write_text(CODE)
        p = subprocess.run([python, str(pathlib.Path(__file__).resolve()), "--inside", module, home], stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, timeout=1200, env={"PATH": "/usr/bin:/bin", "HOME": home, "PYTHONDONTWRITEBYTECODE": "1"})
    return json.loads(p.stdout) if p.stdout.strip() else {"error": p.stderr.strip().splitlines()[-1:] or "no answer"}


def reviewed():
    path = HERE / "oracle_python.tsv"
    rows = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        if line.strip() and not line.startswith("#"):
            name, capability, why = line.split("\t")
            rows[name, capability] = why
    return rows


def main(args):
    write = only = cache = None
    if args and args[0] == "--results":  # what was seen, kept or read again
        cache, args = pathlib.Path(args[1]), args[2:]
    if args and args[0] == "--write":
        write, args = args[1], args[2:]
    if args and args[0] == "--modules":
        only, args = args[1].split(","), args[2:]
    table, excused, used = catalog(), reviewed(), set()
    rows, differences, leftover = [], [], collections.Counter()
    for python in args or [sys.executable]:
        version, names = modules(python)
        kept = json.loads(cache.read_text()).get(version) if cache and cache.exists() else None
        all_found = {}
        known = sorted({p.rstrip(".*").rstrip(".") for p in table if p.endswith(".")} - SKIPPED) if not only else []
        wanted = only or sorted({m for m in set(names) | set(known) if m.partition(".")[0] in names and m.partition(".")[0] not in SKIPPED})
        counts, capable, gone = collections.Counter(), collections.Counter(), 0
        for module in wanted:
            try:
                found = kept[module] if kept else run(python, module)
            except subprocess.TimeoutExpired:
                found = {"error": "timeout"}
            all_found[module] = found
            if "error" in found:
                gone += 1
                continue
            for name, (effects, outcome, errors) in found.items():
                counts[outcome] += 1
                if outcome == "not called":
                    leftover[name.rpartition(".")[0]] += 1
                says = set(lookup(table, name) or ["unknown"])
                for effect in effects:
                    if effect == "calls":
                        continue
                    capable[effect] += 1
                    if effect in says or says & DENIED or effect == "filesystem.read" and "filesystem.write" in says:
                        continue  # said, or denied for something worse
                    if effect in found.get(name.rpartition(".")[0], ((),))[0]:
                        continue  # the making of the object did it
                    if (name, effect) in excused:
                        used.add((name, effect))
                        continue
                    differences.append((version, name, effect, ",".join(sorted(says))))
        rows.append((version, len(wanted) - gone, sum(counts.values()), counts, capable))
        print(version, dict(counts), dict(capable), file=sys.stderr)
        if cache:
            cache.write_text(json.dumps(dict(json.loads(cache.read_text()) if cache.exists() else {}, **{version: all_found})))
    for version, name, effect, says in differences:
        print(f"{version}\t{name}\tdid {effect}\tthe catalog says {says}")
    if write:
        pathlib.Path(write).write_text(page(rows, excused, leftover))
    for row in sorted(set(excused) - used) if not only else ():
        print("scripts/oracle_python.tsv: nothing did", *row, file=sys.stderr)
    return 1 if differences else 0


def page(rows, excused, leftover):
    out = ["# What the standard library of Python does when it is called", "",
           "Written by `scripts/oracle_python.py --write docs/oracle-python.md` (`make oracle-calls`). Each public function, class and method of the modules that",
           "the catalogs list was called with tracers (text that is code, a file, the name of a module, functions, objects) under an audit hook, and what it did",
           "compared with what its line in `policies/catalog` says. *Effect*: the hook saw a capability. *Ran*: it returned, and none was seen. *Refused*: it raised",
           "an error of its own, never only `TypeError`. *Not called*: nothing but `TypeError`, which proves nothing. *Ended*: the process was gone.", "",
           "| Python | modules | callables | effect | ran | refused | ended | not called |", "|---|---|---|---|---|---|---|---|"]
    for version, modules, total, counts, _ in rows:
        out.append(f"| {version} | {modules} | {total} | " + " | ".join(str(counts[k]) for k in ("effect", "ran", "refused", "ended", "not called")) + " |")
    out += ["", "## What was seen", "", "| Python | " + " | ".join(sorted({c for r in rows for c in r[4]})) + " |", "|---" * (1 + len({c for r in rows for c in r[4]})) + "|"]
    for version, _, _, _, capable in rows:
        out.append(f"| {version} | " + " | ".join(str(capable[c]) for c in sorted({c for r in rows for c in r[4]})) + " |")
    out += ["", "## What something other than a line of the catalog tells", "", "| callable | did | what tells it |", "|---|---|---|"]
    for (name, effect), why in sorted(excused.items()):
        out.append(f"| `{name}` | {effect} | {why} |")
    out += ["", "## Where most were not called", "", "An object of the class could not be made, or takes what no tracer is.", "", "| class or module | callables |", "|---|---|"]
    for owner, n in sorted(leftover.items(), key=lambda x: (-x[1], x[0]))[:25]:
        out.append(f"| `{owner}` | {n} |")
    out += ["", "Not seen by the hook at all, and so not compared: `__globals__`, frames and other introspection without an event, reading the environment,",
            "threads, and signals. Compared by reading alone: names that begin with an underscore, which the catalogs mostly do not list and are `unknown`.", ""]
    return "\n".join(out)


if sys.argv[1:2] == ["--inside"]:
    inside(sys.argv[2], sys.argv[3])
else:
    sys.exit(main(sys.argv[1:]))
