# What the runner of one program and that of a session have in common.
import os
import sys

import _frozen_importlib_external as _machinery

# A program may change what is in os and builtins.
_stat, _lstat, _scandir, _write, _open = os.stat, os.lstat, os.scandir, os.write, open
_TOP = os.getcwd()
_HERE = _lstat(_TOP).st_dev
_JOB, _REPORT, _ARTIFACTS = 100, 101, 102
_MAX_PATH = 255  # bytes, as the host takes it


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
    body += _read(5 - len(body))
    return fields(body[5:] + _read(int.from_bytes(body[1:5], "big") - len(body) + 5))


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
    _frame(_REPORT, b"a", text.encode("utf-8", "replace"))


def _frame(fd, tag, value):
    write(fd, tag + len(value).to_bytes(4, "big") + value)


def _send(tag, value):
    _frame(_ARTIFACTS, tag, value)


def put(path, data):
    """Write a file that came with a job."""
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    f = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    write(f, data)
    os.close(f)


def place(path):
    """Make a place for a file by reference."""
    if not os.path.lexists(path):
        put(path, b"")


def given(referred=()):
    """Say to the kernel below, where that is interested, that the program's
    files are there: what has not changed at the end need not be sent. It puts
    files by reference in their places, which are never loaded as code."""
    os.getpriority(os.PRIO_PROCESS, 0)
    for path in referred:
        device = _stat(_TOP + "/" + path).st_dev
        if device == _HERE:
            raise OSError("the file by reference at %s is not there" % path)
        _referred.add(device)


# The devices of files by reference.
_referred = set()


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
            name = path[len(_TOP) + 1:].encode("utf-8", "surrogateescape")
            if len(name) > _MAX_PATH:
                dropped += 1
                continue
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
            if not e.is_file(follow_symlinks=False):
                dropped += 1
                continue
            if left == 0 or info.st_size > budget:
                dropped += 1
                _send(b"p", name)  # alone: it is left behind
                continue
            try:
                with _open(path, "rb") as f:
                    data = f.read(budget)
            except OSError:
                dropped += 1
                continue
            left -= 1
            budget -= len(data)
            _send(b"p", name)
            _send(b"d", data)
    _send(b"z", str(dropped).encode())


def _field(tag, value):
    return tag + len(value).to_bytes(4, "big") + value


def _furnish(place, to):
    """Put links where libraries look for what they would build at first use, to
    what was built with the environment."""
    try:
        for e in _scandir(place):
            if e.is_dir(follow_symlinks=False):
                os.makedirs(to + "/" + e.name, exist_ok=True)
                _furnish(e.path, to + "/" + e.name)
            elif e.is_file(follow_symlinks=False):
                os.symlink(e.path, to + "/" + e.name)
    except OSError:
        pass  # nothing was built


# Where modules come from before anybody could change it.
_path = []

# How the capabilities that policy denied are made impossible while a program
# runs: "c" for the hook in C, "python" for the one beside this file, "" where
# the interpreter has no audit events.
hooked = ""


# Where a program can write, and so may read everything.
_WRITTEN = (_TOP, "/tmp", "/var/tmp", "/dev/shm")


def _places(roots):
    """Where what comes with the interpreter and its libraries is, besides roots: as
    these are without links, too."""
    own = {sys.prefix, sys.base_prefix, sys.exec_prefix} | {os.path.realpath(r) for r in roots}
    own = {p for p in own if p.strip("/") and not any((p + "/").startswith(w + "/") for w in _WRITTEN)}
    return own | {"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/opt"}


_audit = getattr(sys, "audit", lambda *event: None)


def _tell(message):
    _audit("sallyport.more", message)


def prepare():
    """Find the hook and tell it what it has to know before there is a program."""
    global hooked, _tell
    os.environ.pop("LD_PRELOAD", None)
    os.environ.pop("SALLYPORT_SHUT", None)
    _path[:] = sys.path
    _furnish(sys.prefix + "/prepared", "/tmp")
    if not hasattr(sys, "addaudithook"):
        return
    try:
        _audit("sallyport.hello")
    except RuntimeError:
        hooked = "c"
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        from sallyport_hook import hear as _tell
        del sys.path[0], sys.modules["sallyport_hook"]
        hooked = "python"
    here = os.path.dirname(os.path.abspath(__file__))
    with _open(here + "/hook.conf", "rb") as f:
        facts = f.read()
    roots = {os.path.abspath(p) + "/" for p in sys.path if p} | {os.path.dirname(os.__file__) + "/"}
    for root in sorted(roots):
        if not root.startswith((_TOP + "/", "/tmp/")):
            facts += _field(b"r", root.encode("utf-8", "surrogateescape"))
    for place in _WRITTEN:
        facts += _field(b"w", place.encode())
    for place in sorted(_places(roots)):
        facts += _field(b"l", place.encode("utf-8", "surrogateescape"))
    _tell(facts + _field(b"h", here.encode() + b"/") + _field(b"s", (os.path.dirname(os.__file__) + "/").encode()))


def guard(denied, identifiers, files, observe, lifted, seen, session=False):
    """Have what is denied stopped from now on, or only told of. The files were
    judged with the program, whose text names what was seen; in a session more
    is told later."""
    if "environment" in denied:
        _guard_environment()
    if not hooked:
        return
    message = _field(b"n", ",".join(denied).encode()) + _field(b"y", lifted) + _field(b"i", identifiers) + _field(b"k", seen)
    for path, data in files:
        message += _field(b"p", (_TOP + "/" + path).encode()) + _field(b"d", data)
    if observe:
        message += _field(b"o", b"")
    if session:
        message += _field(b"g", b"")
    _tell(message + _field(b"z", b""))


def goes_on(identifiers, seen):
    """The next cell of a session brings more names, and what all of them name."""
    if hooked:
        _audit("sallyport.more", _field(b"t", b"") + _field(b"i", identifiers) + _field(b"k", seen))


def _guard_environment():
    """CPython tells nobody who reads the environment: this does. All of its methods
    ask for the data."""
    real, data = type(os.environ), os.environ._data.copy()  # which is that of posix, to be emptied below

    class Environ(real):
        @property
        def _data(self):
            _audit("sallyport.environ")
            return data

    Environ.__name__ = Environ.__qualname__ = real.__name__
    Environ.__module__ = real.__module__
    for environ in (os.environ, os.environb):
        del environ._data
        environ.__class__ = Environ
    sys.modules["posix"].environ.clear()


class Judged:
    """Finds modules where the interpreter does, and has only those of them loaded
    that no program could have written, or that policy allowed as code: those in
    sources, by their places, as they were judged. What a file is called, and
    what it is packed in, does not count. Where the audit hook ends a run that
    loads plain text which was not judged, that is left to it. Where a run is only
    observed, files by reference alone are not loaded."""

    def __init__(self, sources, denied, observe):
        self._sources = sources
        self._hooked = hooked and "code.load" in denied and not observe
        self._find = _machinery.PathFinder.find_spec
        self._own = tuple(p.rstrip("/") + "/" for p in _path if p[:1] == "/" and p != _TOP and "/../" not in p)
        self._devices = _referred
        if not observe:
            self._devices.add(_HERE)
        root = _stat("/").st_dev
        for place in () if observe else ("/tmp", "/var/tmp", "/dev/shm"):
            try:
                device = _stat(place).st_dev
            except OSError:
                continue
            if device != root:
                self._devices.add(device)
        self._realpath = os.path.realpath
        self.find_distributions = getattr(_machinery.PathFinder, "find_distributions", lambda *args: iter(()))

    def install(self):
        """Take the place of the interpreter's own finder."""
        finders = sys.meta_path
        finders[finders.index(_machinery.PathFinder)] = self

    def invalidate_caches(self):
        _machinery.PathFinder.invalidate_caches()

    def find_spec(self, name, path=None, target=None):
        spec = self._find(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        archive = getattr(spec.loader, "archive", None)
        place = archive or spec.origin
        if type(place) is not str or place.startswith(self._own) and "/../" not in place:
            return spec
        try:
            if _stat(place).st_dev not in self._devices:
                return spec
            source = None if archive else self._sources.get(self._realpath(place))
        except OSError:
            source = None
        if source is None:
            if self._hooked and type(spec.loader) is _machinery.SourceFileLoader:
                return spec
            _audit("sallyport.unjudged")
            raise ImportError("%s was not judged, so it is not loaded as code" % place, name=name, path=place)
        spec.loader = _Source(name, place, source)
        return spec


class _Source(_machinery.SourceFileLoader):
    """Loads a module by the bytes that were judged, whatever the file holds by now."""

    def __init__(self, name, path, source):
        super().__init__(name, path)
        self._source = source

    def get_code(self, fullname):
        return self.source_to_code(self._source, self.path)


class Figures:
    """Finds the matplotlib backend and the plotly renderer beside this file, which
    is not on sys.path, and has plotly know of the latter."""

    def find_spec(self, name, path=None, target=None):
        if name == "sallyport_figures" or name == "sallyport_plotly":
            from importlib.util import spec_from_file_location
            return spec_from_file_location(name, os.path.dirname(__file__) + "/" + name + ".py")
        if name != "plotly.io._renderers":
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self else None
            if spec is not None:
                break
        else:
            return None
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            from sallyport_plotly import install
            install(module.renderers)

        spec.loader.exec_module = exec_module
        return spec
