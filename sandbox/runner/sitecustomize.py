# Started by the site module, before the program. It waits for a job, puts the
# program and its files into the work directory, tells the host, removes what
# it can of itself and returns; the interpreter then runs main.py natively, so
# that tracebacks, exit codes and __main__ are those of `python3 main.py`.
# Whatever goes wrong here must end the process: site ignores exceptions, and
# the program would run unchecked.
import os
import sys


def _read(fd, n):
    parts = []
    while n > 0:
        part = os.read(fd, min(n, 1 << 20))
        if not part:
            os._exit(0)  # the host went away, or drains its pool
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def _job(fd):
    # Most jobs come in one piece: each read more is a way through the kernel.
    body = os.read(fd, 4096) or _read(fd, 1)
    body += _read(fd, 4 - len(body))
    body = body[4:] + _read(fd, int.from_bytes(body[:4], "big") - len(body) + 4)
    fields, at = [], 0
    while at < len(body):
        size = int.from_bytes(body[at + 1:at + 5], "big")
        fields.append((body[at:at + 1], body[at + 5:at + 5 + size]))
        at += 5 + size
    return fields


def _write(path, data):
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    f = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    while data:
        data = data[os.write(f, data):]
    os.close(f)


def _answer(fd, text):
    body = text.encode("utf-8", "replace")
    body = len(body).to_bytes(4, "big") + body
    while body:
        body = body[os.write(fd, body):]


# What was imported before there was a program, kept from being destroyed at its
# end: that would take longer than most programs do.
_kept = {}


def _warm_up():
    """Import what most programs import, in a sandbox that waits for one, and
    take every step once that is taken with a program: what has been touched is
    quick to touch again."""
    wanted = os.environ.pop("SALLYPORT_PRELOAD", "")
    if not wanted:
        return
    import gc
    before = set(sys.modules)
    for name in wanted.split(","):
        try:
            __import__(name)
        except Exception:
            pass  # not in this environment; the program will be told
    _kept.update((name, sys.modules[name]) for name in set(sys.modules) - before)
    program = b"def f(x):\n    return [y for y in x if y]\nclass C:\n    a = 1\ntry:\n    z = f'{len(f([1])):>4}'\nexcept Exception as e:\n    raise\n"
    _unknown(program, {"f"})
    _write("main.py", program)
    with open("main.py", encoding="utf-8") as f:
        exec(compile(f.read(), "main.py", "exec"), {"__name__": "rehearsal"})
    os.lstat("main.py")
    list(os.scandir("."))
    os.remove("main.py")
    sys.stdout.flush()
    keep = [_kept]
    keep.append(keep)  # a cycle that nobody will look at again
    gc.collect()
    gc.freeze()
    # What is frozen is not collected at the end either, which the program would
    # notice of its own module.
    main = type(sys)("__main__")
    main.__dict__.clear()
    main.__dict__.update(sys.modules["__main__"].__dict__)
    sys.modules["__main__"] = main


def _forget(path):
    """Make the program's own module win over one imported in advance."""
    name = path.split("/")[0].split(".")[0]
    for loaded in _kept:
        if loaded == name or loaded.startswith(name + "."):
            sys.modules.pop(loaded, None)


# What a program does when it tries what policy may have denied. This is
# evidence for the record, not what stops it: that is the kernel.
_TELLING = {
    "os.system": "process", "os.exec": "process", "os.fork": "process", "os.forkpty": "process", "os.posix_spawn": "process",
    "os.spawn": "process", "subprocess.Popen": "process", "pty.spawn": "process", "socket.__new__": "network",
    "socket.getaddrinfo": "network", "socket.gethostbyname": "network", "socket.gethostbyaddr": "network",
}


def _witness(fd, denied):
    """Report each kind of attempt once."""
    if not hasattr(sys, "addaudithook"):
        return
    telling = {event: kind for event, kind in _TELLING.items() if kind in denied}
    write, told = os.write, set()

    def hook(event, args):
        kind = telling.get(event)
        if kind is None or event in told:
            return
        if event == "socket.__new__" and args[1] == 1:
            return  # AF_UNIX: an event loop that wakes itself up
        told.add(event)
        body = (kind + " " + event).encode()
        try:
            write(fd, b"v" + len(body).to_bytes(4, "big") + body)
        except OSError:
            pass

    sys.addaudithook(hook)


def _collector(fd, inputs, caps):
    """Have the files sent that a program leaves behind: not the inputs, and no
    more than caps, both of which are filled in later."""
    import atexit
    try:
        os.fstat(fd)
    except OSError:
        return False  # this backend has a way of its own
    lstat, scandir, getpid, write, close = os.lstat, os.scandir, os.getpid, os.write, os.close
    me, top = getpid(), os.getcwd()
    here = lstat(top).st_dev

    def send(tag, value):
        body = tag + len(value).to_bytes(4, "big") + value
        while body:
            body = body[write(fd, body):]

    def collect():
        if getpid() != me:
            return  # a child that ended like its parent
        (left, budget), dropped, todo = caps, 0, [top]
        while todo:
            folder = todo.pop()
            try:
                entries = sorted(scandir(folder), key=lambda e: e.name)
            except OSError:
                continue
            for e in entries:
                path = folder + "/" + e.name
                info = lstat(path)
                if info.st_dev != here:
                    continue  # an operator's mount
                if e.is_dir(follow_symlinks=False):
                    todo.append(path)
                    continue
                if inputs.get(path) == (info.st_size, info.st_mtime_ns):
                    continue
                if not e.is_file(follow_symlinks=False) or left == 0 or info.st_size > budget:
                    dropped += 1
                    continue
                try:
                    with open(path, "rb") as f:
                        data = f.read(budget)
                except OSError:
                    dropped += 1
                    continue
                left -= 1
                budget -= len(data)
                send(b"p", path[len(top) + 1:].encode("utf-8", "surrogateescape"))
                send(b"d", data)
        send(b"z", str(dropped).encode())
        close(fd)

    def guarded(modules=sys.modules, kept=_kept):
        try:
            collect()
        except Exception:
            pass  # the host misses the end mark
        for name, module in kept.items():
            if modules.get(name) is module:
                del modules[name]

    # Registered before everything the program registers: runs after all that.
    atexit.register(guarded)
    return True


# Names that the compiler itself puts into code objects. Those that start with
# a dot are no identifiers at all.
_GENERATED = {
    "", "__class__", "__classcell__", "__classdict__", "__classdictcell__", "__module__", "__name__",
    "__qualname__",     "__doc__", "__annotations__", "__conditional_annotations__", "__annotate__", "__annotate_func__",
    "__firstlineno__", "__static_attributes__", "__type_params__", "__debug__", "AssertionError",
    "NotImplementedError", "format",
}


def _unknown(code, known):
    """Names that the compiler sees in code and the analysis did not."""
    import _warnings
    filters = _warnings.filters[:]
    _warnings.filters[:] = [("ignore", None, Warning, None, 0)]
    _warnings._filters_mutated() if hasattr(_warnings, "_filters_mutated") else None
    try:
        todo = [(compile(code, "main.py", "exec", dont_inherit=True), ())]
    except SyntaxError:
        return set()  # nothing of it will run; the interpreter says so itself
    finally:
        _warnings.filters[:] = filters
        _warnings._filters_mutated() if hasattr(_warnings, "_filters_mutated") else None
    if not all(map(str.isascii, known)):
        import unicodedata
        known = known | {unicodedata.normalize("NFKC", n) for n in known}
    found = set()
    kind = type(todo[0][0])
    while todo:
        code, classes = todo.pop()
        classes += ("_" + code.co_name.lstrip("_"),)
        for dotted in code.co_names + code.co_varnames + code.co_freevars + code.co_cellvars:
            for name in dotted.split(".") if dotted[:1] != "." else ():
                if name in known or name in _GENERATED:
                    continue
                for c in classes:  # _Class__name is how a private __name is kept
                    if name.startswith(c) and name[len(c):] in known:
                        break
                else:
                    found.add(name)
        todo.extend((c, classes) for c in code.co_consts if isinstance(c, kind))
    return found


class _Figures:
    """Finds the matplotlib backend beside this file, which is not on sys.path."""

    def __init__(self, folder):
        self.folder = folder

    def find_spec(self, name, path=None, target=None):
        if name != "sallyport_figures":
            return None
        from importlib.util import spec_from_file_location
        return spec_from_file_location(name, self.folder + "/sallyport_figures.py")


def _main():
    job_fd, report_fd, artifact_fd = 100, 101, 102
    me = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if p != me]
    sys.path_importer_cache.pop(me, None)
    os.environ.pop("PYTHONPATH", None)
    sys.meta_path.append(_Figures(me))
    _warm_up()
    here = os.getcwd() + "/"
    args, code, path, known, caps, inputs, denied, only_opinion = [], b"", "", set(), [0, 0], {}, (), False
    collects = _collector(artifact_fd, inputs, caps)
    _answer(report_fd, "ready")
    for tag, value in _job(job_fd):
        if tag == b"c":
            code = value
        elif tag == b"i":
            known = set(value.decode().split("\n"))
        elif tag == b"a":
            args.append(value.decode("utf-8", "surrogateescape"))
        elif tag == b"p":
            path = value.decode()
        elif tag == b"n":
            denied = value.decode().split(",")
        elif tag == b"o":
            only_opinion = True
        elif tag == b"l":
            caps[:] = map(int, value.split())
        elif tag == b"d":
            _forget(path)
            _write(path, value)
            inputs[here + path] = ()
    if b"\0" in code:
        raise ValueError("a null byte in the program")
    unknown = _unknown(code, known)
    if unknown:
        _answer(report_fd, "mismatch\n" + "\n".join(sorted(unknown)[:100]))
        os._exit(0)
    if only_opinion:
        _answer(report_fd, "ok")
        os._exit(0)
    sys.argv[1:] = args
    _write("main.py", code)
    inputs[here + "main.py"] = ()
    for path in inputs:
        info = os.lstat(path)
        inputs[path] = (info.st_size, info.st_mtime_ns)
    if collects:
        _witness(artifact_fd, denied)
    _answer(report_fd, "ok")
    os.close(job_fd)
    os.close(report_fd)


try:
    _main()
except BaseException as e:
    try:
        _answer(101, "error " + type(e).__name__ + ": " + str(e))
    finally:
        os._exit(70)
for _name in [n for n in globals() if n[:2] != "__"]:
    del globals()[_name]
