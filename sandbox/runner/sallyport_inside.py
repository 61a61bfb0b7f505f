# What the runner of one program and that of a session have in common.
import os
import sys

# A program may change what is in os and builtins.
_lstat, _scandir, _write, _open = os.lstat, os.scandir, os.write, open
_TOP = os.getcwd()
_HERE = _lstat(_TOP).st_dev
_JOB, _REPORT, _ARTIFACTS = 100, 101, 102


def _read(n):
    parts = []
    while n > 0:
        part = os.read(_JOB, min(n, 1 << 20))
        if not part:
            os._exit(0)  # the host went away, or drains its pool
        parts.append(part)
        n -= len(part)
    return b"".join(parts)


def job():
    """Wait for a job and return its fields, each a tag and a value."""
    # Most jobs come in one piece: each read more is a way through the kernel.
    body = os.read(_JOB, 4096) or _read(1)
    body += _read(4 - len(body))
    return fields(body[4:] + _read(int.from_bytes(body[:4], "big") - len(body) + 4))


def fields(body):
    found, at = [], 0
    while at < len(body):
        size = int.from_bytes(body[at + 1:at + 5], "big")
        found.append((body[at:at + 1], body[at + 5:at + 5 + size]))
        at += 5 + size
    return found


def write(fd, body):
    while body:
        body = body[_write(fd, body):]


def answer(text):
    body = text.encode("utf-8", "replace")
    write(_REPORT, len(body).to_bytes(4, "big") + body)


def _send(tag, value):
    write(_ARTIFACTS, tag + len(value).to_bytes(4, "big") + value)


def put(path, data):
    """Write a file that came with a job."""
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    f = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    write(f, data)
    os.close(f)


def given():
    """Say to the kernel below, where that is interested, that the program's
    files are there: what has not changed at the end need not be sent."""
    os.getpriority(os.PRIO_PROCESS, 0)


def note(path, known):
    """Know how a file is now, so that it is sent only when it has changed."""
    path = _TOP + "/" + path
    info = _lstat(path)
    known[path] = (info.st_size, info.st_mtime_ns)


def collect(known, left, budget):
    """Send the files that known does not know as they are, as far as there is
    room, and the end mark."""
    dropped, todo = 0, [_TOP]
    while todo:
        folder = todo.pop()
        try:
            entries = sorted(_scandir(folder), key=lambda e: e.name)
        except OSError:
            continue
        for e in entries:
            path = folder + "/" + e.name
            info = _lstat(path)
            if info.st_dev != _HERE:
                continue  # an operator's mount
            if e.is_dir(follow_symlinks=False):
                todo.append(path)
                continue
            state = (info.st_size, info.st_mtime_ns)
            if known.get(path) == state:
                continue
            known[path] = state
            if not e.is_file(follow_symlinks=False) or left == 0 or info.st_size > budget:
                dropped += 1
                continue
            try:
                with _open(path, "rb") as f:
                    data = f.read(budget)
            except OSError:
                dropped += 1
                continue
            left -= 1
            budget -= len(data)
            _send(b"p", path[len(_TOP) + 1:].encode("utf-8", "surrogateescape"))
            _send(b"d", data)
    _send(b"z", str(dropped).encode())


# What a program does when it tries what policy may have denied. This is
# evidence for the record, not what stops it: that is the kernel.
_TELLING = {
    "os.system": "process", "os.exec": "process", "os.fork": "process", "os.forkpty": "process", "os.posix_spawn": "process",
    "os.spawn": "process", "subprocess.Popen": "process", "pty.spawn": "process", "socket.__new__": "network",
    "socket.getaddrinfo": "network", "socket.gethostbyname": "network", "socket.gethostbyaddr": "network",
}


def watch(denied, told):
    """Report each kind of attempt that is not in told."""
    if not hasattr(sys, "addaudithook"):
        return
    telling = {event: kind for event, kind in _TELLING.items() if kind in denied}

    def hook(event, args):
        kind = telling.get(event)
        if kind is None or event in told:
            return
        if event == "socket.__new__" and args[1] == 1:
            return  # AF_UNIX: an event loop that wakes itself up
        told.add(event)
        try:
            _send(b"v", (kind + " " + event).encode())
        except OSError:
            pass

    sys.addaudithook(hook)


class Figures:
    """Finds the matplotlib backend beside this file, which is not on sys.path."""

    def find_spec(self, name, path=None, target=None):
        if name != "sallyport_figures":
            return None
        from importlib.util import spec_from_file_location
        return spec_from_file_location(name, os.path.dirname(__file__) + "/sallyport_figures.py")
