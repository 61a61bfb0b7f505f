# What runs in a Python session: it takes one cell after the other and runs
# each in the same module, as a notebook would. The cells run in this very
# interpreter and can change all that is here; nothing of it is a control. The
# sandbox around it is, and the parser that is asked elsewhere.
import ast
import builtins
import linecache
import os
import sys
import traceback
import types

_TOP = os.getcwd()


def _read(fd, n):
    parts = []
    while n > 0:
        part = os.read(fd, min(n, 1 << 20))
        if not part:
            os._exit(0)  # the session is over
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def _job(fd):
    body = _read(fd, int.from_bytes(_read(fd, 4), "big"))
    fields, at = [], 0
    while at < len(body):
        size = int.from_bytes(body[at + 1:at + 5], "big")
        fields.append((body[at:at + 1], body[at + 5:at + 5 + size]))
        at += 5 + size
    return fields


def _write(fd, body):
    while body:
        body = body[os.write(fd, body):]


def _answer(fd, text):
    body = text.encode("utf-8", "replace")
    _write(fd, len(body).to_bytes(4, "big") + body)


def _send(fd, tag, value):
    _write(fd, tag + len(value).to_bytes(4, "big") + value)


class _Figures:
    """Finds the matplotlib backend beside this file, which is not on sys.path."""

    def __init__(self, folder):
        self.folder = folder

    def find_spec(self, name, path=None, target=None):
        if name != "sallyport_figures":
            return None
        from importlib.util import spec_from_file_location
        return spec_from_file_location(name, self.folder + "/sallyport_figures.py")


# What a cell does when it tries what policy may have denied. This is evidence
# for the record, not what stops it: that is the kernel.
_TELLING = {
    "os.system": "process", "os.exec": "process", "os.fork": "process", "os.forkpty": "process", "os.posix_spawn": "process",
    "os.spawn": "process", "subprocess.Popen": "process", "pty.spawn": "process", "socket.__new__": "network",
    "socket.getaddrinfo": "network", "socket.gethostbyname": "network", "socket.gethostbyaddr": "network",
}


def _witness(fd, denied, told):
    if not hasattr(sys, "addaudithook"):
        return
    telling = {event: kind for event, kind in _TELLING.items() if kind in denied}
    write = os.write

    def hook(event, args):
        kind = telling.get(event)
        if kind is None or event in told or event == "socket.__new__" and args[1] == 1:
            return
        told.add(event)
        body = (kind + " " + event).encode()
        try:
            write(fd, b"v" + len(body).to_bytes(4, "big") + body)
        except OSError:
            pass

    sys.addaudithook(hook)


def _files():
    """What lies in the work directory, without an operator's mounts."""
    here, todo = os.lstat(_TOP).st_dev, [_TOP]
    while todo:
        folder = todo.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda e: e.name)
        except OSError:
            continue
        for e in entries:
            info = os.lstat(folder + "/" + e.name)
            if info.st_dev != here:
                continue
            if e.is_dir(follow_symlinks=False):
                todo.append(folder + "/" + e.name)
            else:
                yield folder + "/" + e.name, e, (info.st_size, info.st_mtime_ns)


def _collect(fd, known, most, room):
    """Send the files that are new or changed since the last cell."""
    dropped = 0
    for path, e, state in _files():
        if known.get(path) == state:
            continue
        known[path] = state
        if not e.is_file(follow_symlinks=False) or most == 0 or state[0] > room:
            dropped += 1
            continue
        try:
            with open(path, "rb") as f:
                data = f.read(room)
        except OSError:
            dropped += 1
            continue
        most -= 1
        room -= len(data)
        _send(fd, b"p", path[len(_TOP) + 1:].encode("utf-8", "surrogateescape"))
        _send(fd, b"d", data)
    _send(fd, b"z", str(dropped).encode())


def _put(path, data, known):
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
    info = os.lstat(path)
    known[os.path.abspath(path)] = (info.st_size, info.st_mtime_ns)


def _run(code, name, namespace):
    """Run a cell, show what its last expression comes to, and say how it went."""
    text = code.decode()
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    try:
        compile(code, name, "exec", dont_inherit=True)  # as a whole, as the other parser read it
        tree, last = ast.parse(code, name), None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = compile(ast.Expression(tree.body.pop().value), name, "eval", dont_inherit=True)
        body = compile(tree, name, "exec", dont_inherit=True)
        exec(body, namespace)
        if last is not None:
            value = eval(last, namespace)
            if value is not None:
                print(repr(value))
        return "done 0"
    except SystemExit as e:
        if e.code is None or isinstance(e.code, int):
            return "done %d" % ((e.code or 0) & 255)
        print(e.code, file=sys.stderr)
        return "done 1"
    except BaseException as e:
        own = e.__traceback__
        while own is not None and own.tb_frame.f_code.co_filename == __file__:
            own = own.tb_next
        traceback.print_exception(type(e), e.with_traceback(own), own)
        return "done 1"


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass  # the cell has closed or replaced it


def _serve():
    job_fd, report_fd, artifact_fd = 100, 101, 102
    me = os.path.dirname(os.path.abspath(__file__))
    sys.path[0] = _TOP
    sys.meta_path.append(_Figures(me))
    sys.argv[:] = [""]
    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    sys.modules["__main__"] = main
    known, told, number = {}, set(), 0
    _answer(report_fd, "ready")
    while True:
        code, path, caps, denied = b"", "", (0, 0), ()
        for tag, value in _job(job_fd):
            if tag == b"c":
                code = value
            elif tag == b"n":
                denied = value.decode().split(",")
            elif tag == b"l":
                caps = tuple(map(int, value.split()))
            elif tag == b"p":
                path = value.decode()
            elif tag == b"d":
                _put(path, value, known)
        number += 1
        if number == 1:
            _witness(artifact_fd, denied, told)
        told.clear()
        said = _run(code, "cell-%d.py" % number, main.__dict__)
        _flush()
        _collect(artifact_fd, known, *caps)
        _answer(report_fd, said)


_serve()
