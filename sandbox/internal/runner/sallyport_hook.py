# The audit hook of an interpreter that cannot load the one in C (hook/hook.c):
# the same events, decided more coarsely, by code that a program which gets hold
# of the interpreter's own objects could find. The record says which one it was.
import os
import re
import signal
import sys
from _thread import get_ident as _ident

_write, _raise, _exit, _getframe, _signal, _unblock = os.write, signal.raise_signal, os._exit, sys._getframe, signal.signal, signal.pthread_sigmask
_openat, _readlink, _close, _listdir, _LOOK, _DIRECTORY = os.open, os.readlink, os.close, os.listdir, os.O_PATH | os.O_CLOEXEC, os.O_DIRECTORY
_encode, _decode, _entry, _SELF = os.fsencode, os.fsdecode, os.DirEntry, "/proc/%d/" % os.getpid()
_slot, _own = type(os.stat_result.st_mode), object.__getattribute__
_WRITES, _NAMELESS = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC, os.O_TMPFILE & ~os.O_DIRECTORY
# What is changed by a path: which argument of an event that is, and which one the directory that it begins in; whether
# it is what a link leads to. A file is written to by either name.
_CHANGED = {"os.mkdir": [(0, 2, False)], "os.rename": [(0, 2, False), (1, 3, False)], "os.remove": [(0, 1, False)], "os.rmdir": [(0, 1, False)],
            "os.link": [(1, 3, False), (0, 2, True)], "socket.bind": [(1, None, False)], "os.symlink": [(1, 2, False)],
            "os.truncate": [(0, None, True)], "os.chmod": [(0, 2, True)], "os.chown": [(0, 3, True)], "os.utime": [(0, 3, True)],
            "os.setxattr": [(0, None, True)], "os.removexattr": [(0, None, True)]}
_ENVIRONMENT = {"environ", "environb", "getenv", "getenvb", "get_exec_path"}
_DEFAULT, _SIGSYS = signal.SIG_DFL, signal.SIGSYS
_FRAMES = {"__code__", "tb_frame", "gi_frame", "gi_code", "cr_frame", "cr_code", "ag_frame", "ag_code", "f_code", "f_back", "f_builtins", "f_globals"}
_SIGNATURE = {"co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_varnames", "co_name", "co_qualname", "co_firstlineno", "co_nlocals", "co_flags",
              "co_freevars", "co_cellvars"}  # numbers and names, with which nobody gets hold of the code
_ASKED = {"sys._getframe", "sys._getframemodulename", "sys._current_frames", "sys._current_exceptions", "sys.settrace", "sys.setprofile",
          "sys.monitoring.register_callback", "gc.get_objects", "gc.get_referrers", "gc.get_referents", "code.__new__", "function.__new__", "builtins.breakpoint"}
# Modules of the interpreter's own that its parts in C import late.
_LATE = set("unicodedata locale warnings linecache tracemalloc traceback copyreg threading io codecs datetime decimal numbers collections re enum "
            "typing inspect weakref contextlib atexit types encodings stringprep".split())
# Files of the standard library that load what their callers name.
_LOADERS = {os.path.dirname(os.__file__) + "/" + name for name in (
    "importlib/__init__.py", "importlib/util.py", "pkgutil.py", "pydoc.py", "optparse.py", "doctest.py", "unittest/mock.py", "unittest/loader.py",
    "logging/config.py", "xml/sax/__init__.py")}
_code, _builtin, _function = type(_getframe().f_code), type(len), type(os.fsencode)
_FILE = _getframe().f_code.co_filename


def _instruction(source):
    code = compile(source, "", "eval").co_code  # instructions have other numbers in each version
    return next(pair for pair in zip(code[::2], code[1::2]) if pair[1])


_READ, _METHOD = _instruction("a.b"), _instruction("a.b()")


def _make():
    with open(os.path.dirname(os.path.abspath(__file__)) + "/events.def") as f:
        table = dict(re.findall(r'(?m)^PYTHON\("([^"]+)", ([a-z.]+)\)$', f.read()))
    roots, makers, probes, known, never, said, files, told = [], [], [], set(), set(), set(), {}, set()
    denied, lifted, own, busy = set(), set(), [], set()
    places, written, seen, writes, harmless = [], [], [], [], []
    loaded = {f for f in (getattr(m, "__file__", None) for m in list(sys.modules.values())) if type(f) is str}  # files of modules
    key = b"\xff" + os.urandom(15)  # by which our reports are known
    modules, stdlib = sys.modules, os.path.dirname(os.__file__) + "/"
    typing, late = stdlib + "typing.py", stdlib + "annotationlib.py"  # of 3.14
    inspect = stdlib + "inspect.py"  # which hands out frames
    state = {"sealed": False, "observe": False, "started": False, "session": False, "path": ""}

    def hear(message):
        at, path = 0, ""
        while at < len(message):
            tag, size = message[at:at + 1], int.from_bytes(message[at + 1:at + 5], "big")
            value = message[at + 5:at + 5 + size]
            at += 5 + size
            text = value.decode("utf-8", "surrogateescape")
            if tag == b"n":
                denied.update(text.split(","))
            elif tag == b"o":
                state["observe"] = True
            elif tag == b"g":
                state["session"] = True
            elif tag == b"y":
                lifted.update(text.split(","))
            elif tag == b"r":
                roots.append(text)
            elif tag == b"h":
                own.append(text)
            elif tag == b"l":
                places.append(text)
            elif tag == b"w":
                written.append(text)
            elif tag == b"k":
                seen[:] = [name for name in text.split("\0") if name[:1] == "/"]
                writes[:] = [name[1:] for name in text.split("\0") if name[:1] == ">"]
            elif tag == b"f":
                harmless.extend(text.split(" "))
            elif tag == b"i":
                known.update(text.split("\n"))
            elif tag == b"x":
                never.update(text.split("\n"))
            elif tag == b"q":
                probes.extend(text.split("\n"))
            elif tag == b"m":
                file, *names = text.split(" ")
                makers.append((file.lstrip("@="), file[0], set(names)))
            elif tag == b"p":
                path = text
            elif tag == b"d":
                files[path] = [value, False]
            elif tag == b"t":
                told.clear()
            elif tag == b"z":
                tell(b"k\0\0\0\x10" + key)
                state["sealed"] = True

    def whose(file):
        if file.startswith("<frozen importlib"):
            return "importer"
        if file.startswith("<frozen ") or file.startswith(tuple(roots)):
            return "library"
        return "runner" if file.startswith(tuple(own)) else "program"

    def walk():
        frame = _getframe()
        while frame is not None:
            if frame.f_code.co_filename != _FILE:
                yield whose(frame.f_code.co_filename), frame
            frame = frame.f_back

    def place(path, start=None):
        # Where the kernel comes to by a path, by whatever spelling.
        try:
            fd = _openat(path, _LOOK, dir_fd=start)
        except (OSError, ValueError):
            return ""
        try:
            return _readlink("/proc/self/fd/%d" % fd)
        except OSError:
            return ""
        finally:
            _close(fd)

    def covers(place, path):
        if place.endswith("*"):
            return path.startswith(place[:-1])
        return (path + "/").startswith(place.rstrip("/") + "/")

    def named(names, path):
        # One of names is where a path has come to, or a link that leads there.
        if path.startswith(_SELF):
            path = "/proc/self/" + path[len(_SELF):]
        return any(covers(p, path) for p in names) or any(
            covers(place(p) or p, path) for p in names if not p.startswith(("/proc/", "/dev/")))

    def lists(path):
        # A path is a directory, of which a program can have the names.
        try:
            _close(_openat(path, _LOOK | _DIRECTORY))
        except OSError:
            return False
        return True

    def visible(path):
        # The text of the program names where a path has come to, or it is a file that everybody may read.
        return named(seen, path) or named(harmless, path) and not lists(path)

    def systems(path):
        return any(covers(p, path) for p in places + roots + own)

    def lends(path, at):
        # Who asks may have what comes with the interpreter and with libraries: the importer for a module that
        # somebody imports, a library of the operator's, and for zoneinfo the zones of time, which it lists.
        # All else reads for who calls it. The path, as it is spelled, leads to at.
        zone = "/tzdata/zoneinfo/" in at or covers("/usr/share/zoneinfo", at)
        by = ""  # how what has the importer read is called
        for i, (who, frame) in enumerate(walk()):
            file, name = frame.f_code.co_filename, frame.f_code.co_name
            if i == 0 and who == "importer" and any(covers(r, at) for r in roots) and frame.f_locals.get("path") == path:
                by = "_find_spec" if name == "_fill_cache" else "exec_module" if name == "get_data" and at.endswith((".py", ".pyc")) else ""
            if who == "program":
                return False
            if who == "library":
                by = ""
                if operators(who, file) or zone and file.startswith(stdlib + "zoneinfo/"):
                    return True
            elif by and name == by:
                return True
        return False

    def lent(path):
        # A path as it is spelled, by which nobody comes to what the program has written.
        return "/.." not in path and systems(path) and (path in loaded or lends(path, path))

    def readable(path, spelling):
        if not path.startswith("/"):
            return path.startswith(("pipe:", "socket:", "anon_inode:", "host:"))
        return path.startswith("/memfd:") or any(covers(p, path) for p in written) or systems(path) and lends(spelling, path) or visible(path)

    def text_of(path):
        # The text of what was given as a path; none where nobody can tell.
        if path is None:
            return "."
        kind = type(path)
        if issubclass(kind, str):
            return str.__str__(path)
        if issubclass(kind, bytes):
            return _decode(bytes.__getitem__(path, slice(None)))
        if kind is _entry:
            return text_of(path.path)
        if all(of_pathlib(inherited(kind, name), name) for name in ("__fspath__", "__str__")) and type(inherited(kind, "_str")) is _slot and (
                inherited(kind, "__getattribute__") is _own):
            aside(lambda: str(path))  # which keeps it from now on; what that asks for is judged
            return path._str
        return None

    def inherited(kind, name):
        # What a class has under a name, or one above it, as it stands there: nobody is asked, so that no
        # descriptor answers. Of a class that may answer what it has by itself nobody can tell.
        for c in kind.__mro__ if type(kind) is type else ():
            if type(c) is not type or any(type(key) is not str for key in c.__dict__):
                return None
            if name in c.__dict__:
                return c.__dict__[name]
        return None

    def of_pathlib(f, name):
        return type(f) is _function and f.__code__.co_name == name and f.__code__.co_filename.startswith(stdlib + "pathlib")

    def aside(call):
        # Have what the program may have a part in not count as the hook's own.
        busy.discard(_ident())
        try:
            return call()
        finally:
            busy.add(_ident())

    def fits(pattern, path, whole=False):
        # A path begins as a pattern does, or ends with it, too; * stands for any signs but slashes.
        # Each piece between stars is taken where it stands first: another one further on fits no more than that.
        first, *pieces = pattern.split("*")
        at = len(first)
        if not path.startswith(first):
            return False
        for piece in pieces[:-1] if whole else pieces:
            begin, slash = path.find(piece, at), path.find("/", at)
            if begin < 0 or -1 < slash < begin:
                return False
            at = begin + len(piece)
        if not whole or not pieces:
            return not whole or at == len(path)
        begin = len(path) - len(pieces[-1])
        return begin >= at and path.endswith(pieces[-1]) and "/" not in path[at:begin]

    def writable(path, makes):
        # The text of the program names what it writes to, or what is to lie in the directory that it makes or, where it
        # is empty, takes away. A library of the operator's writes aside, tempfile tries out where it can, and the runner
        # puts there what came with a cell.
        if any(fits(name, path) or makes and any(fits(name[:m.start()], path, True) for m in re.finditer("/", name) if m.start()) for name in writes):
            return True
        if makes and path == written[0]:
            return True
        puts = False
        for who, frame in walk():
            if who == "program":
                return False
            name, file = frame.f_code.co_name, frame.f_code.co_filename
            if who == "runner":
                puts = puts or name == "put"
            elif not covers(written[0], path) and (operators(who, file) or who == "library" and name == "_get_default_tempdir"):
                return True
        return puts  # and no program has it put there

    def lies(path, start, follow):
        # Where a path is, or comes to be when something is made there: a link leads on also to where nothing is.
        for links in range(41):
            plain = path.rstrip("/") or "/"
            head, slash, name = plain.rpartition("/")
            follow = follow or plain != path
            itself = name in ("", ".", "..")
            if follow or itself:
                at = place(path, start)
                if at or itself:
                    return at
            at = place(head + slash or ".", start)
            if not at:
                return ""
            here = at.rstrip("/") + "/"
            try:
                to = _readlink(here + name) if follow else ""
            except (OSError, ValueError):
                to = ""
            if not to:
                return here + name
            path, start = to if to.startswith("/") else here + to, None
        return ""

    def changes(path, start, follow, told):
        at = "filesystem.write" in denied and lies(path, start, follow)
        if not at or told == "open.write" and lists(at):
            return  # a directory is not to be written: who opens another by it is told of that
        if any(covers(p, at) for p in written) and not writable(at, told in ("os.mkdir", "os.rmdir")):
            stop(told, "filesystem.write")

    def alters(event, args):
        # What is changed otherwise than by opening it.
        told = "os.link.made" if event == "os.link" else event
        for n, below, follow in _CHANGED[event]:
            pair = event == "socket.bind" and issubclass(type(args[n]), tuple)
            path = None if pair else text_of(args[n])
            if pair or event == "socket.bind" and (path is not None and path[:1] in ("", "\0")):
                pass  # no path
            elif path is not None:
                changes(path, args[below] if below and args[below] >= 0 else None, follow, told)
            elif "filesystem.write" in denied and type(args[n]) is not int:
                stop(told, "filesystem.write")
            elif "filesystem.write" in denied and told != "os.truncate" and args[n] >= 0:  # that one is open for writing
                path = "/proc/self/fd/%d" % args[n]
                if not place(path).endswith(" (deleted)"):
                    changes(path, None, True, told)

    def to_write(mode, flags):
        # What O_TMPFILE opens has no name.
        return bool(set(mode or "") - set("rbtU")) or not flags & _NAMELESS and bool(flags & _WRITES)

    def opens(event, args):
        path, fds, told = text_of(args[0]), (None,), "open.file" if event == "open" else event
        writing = event == "open" and to_write(args[1], args[2]) or event == "sqlite3.connect" and args[0] not in ("", ":memory:")
        if path is None:
            if "filesystem.read" in denied and type(args[0]) is not int:
                stop(told, "filesystem.read")
            if "filesystem.write" in denied and writing and type(args[0]) is not int:
                stop("open.write", "filesystem.write")
            return
        if not writing and lent(path):
            return
        paths = [path]
        if event == "os.link":
            fds = (args[2] if args[2] >= 0 else None,)
        elif event == "open" and args[1] is None and not path.startswith("/"):
            # It may begin in any directory that is open.
            fds += tuple(map(int, _listdir("/proc/self/fd")))
        elif event == "sqlite3.connect" and path.startswith("file:"):
            uri = re.split("[?#]", re.sub("^//[^/]*", "", path[5:]))[0]
            paths.append(_decode(re.sub(b"%([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]), _encode(uri)).split(b"\0")[0]))
        for p, fd, at in ((p, fd, place(p, fd)) for p in paths for fd in fds):
            if at.startswith("/proc/"):
                if "environment" in denied and at.endswith("/environ"):
                    stop("open.environ", "environment")
                if "native" in denied and at.endswith("/mem"):
                    stop("open.memory", "native")
            if at and "filesystem.read" in denied and not readable(at, p):
                stop(told, "filesystem.read")
            # SQLite leaves out .. and the directory before it, whether that is there or not, and what makes a path longer
            # than the kernel takes it: where such a one comes to nobody can tell.
            if event == "sqlite3.connect" and (".." in p or len(_encode(p)) > 4095) and not lies(p, None, True):
                for kind, what in (("filesystem.read", told), ("filesystem.write", "open.write")):
                    if kind in denied:
                        stop(what, kind)
            if writing and p not in ("", ":memory:"):
                changes(p, fd, True, "open.write")

    def asks(but=None):
        return next((who for who, frame in walk() if frame.f_code.co_filename != but), "program")

    def asks_signature():
        # The program reads the code of a function where its text says so, and goes on at once to what that is called or takes:
        # the instruction behind asks what is read for such a name. Of names beyond the 128th an instruction says only a part.
        who, frame = next(walk(), ("", None))
        if who != "program" or len(frame.f_code.co_names) >= 128:
            return False
        at, code, names, shift = frame.f_lasti, frame.f_code.co_code, frame.f_code.co_names, _READ[1] > 1
        if not 0 <= at < len(code) - 1 or code[at] != _READ[0] or names[code[at + 1] >> shift] != "__code__":
            return False
        at += 2
        while at < len(code) - 1 and not code[at]:  # room for what the interpreter keeps
            at += 2
        return at < len(code) - 1 and code[at] in (_READ[0], _METHOD[0]) and names[code[at + 1] >> shift] in _SIGNATURE

    def by_itself(listed):
        for who, frame in walk():
            if who == "importer":
                return True
            if who != "library":
                return False
            if frame.f_code.co_filename.endswith(tuple(listed) or ("\0",)):
                return True
        return False

    def tell(message):
        while True:
            try:
                return _write(102, message)
            except BlockingIOError:
                pass  # the program may have it not wait
            except OSError:
                return None

    def report(tag, event, kind):
        line = next((frame.f_lineno for who, frame in walk() if who == "program"), 0)
        body = ("%s %s %d" % (kind, event, line)).encode()
        tell(key + tag + len(body).to_bytes(4, "big") + body)

    def note(event, kind, tag=b"v"):
        if event not in told and event not in lifted:
            told.add(event)
            report(tag, event, kind)

    def refuse(event, kind):
        # As the kernel would, which then sees nothing that could be the program's.
        if event not in lifted:
            note(event, kind, b"w")
            raise PermissionError(1, "Operation not permitted")

    def stop(event, kind):
        if event in lifted:
            return None
        if state["observe"]:
            return note(event, kind)
        report(b"s", event, kind)
        denied.clear()
        for stream in streams:
            try:
                stream.flush()
            except BaseException:
                pass
        try:
            _signal(_SIGSYS, _DEFAULT)
        except ValueError:
            pass  # not the main thread
        _unblock(signal.SIG_UNBLOCK, [_SIGSYS])
        _raise(_SIGSYS)
        _exit(159)

    def names(code):
        for name in code.co_names:
            yield from name.split(".")
        for c in code.co_consts:
            if isinstance(c, _code):
                yield from names(c)

    def learn(code):
        for c in code.co_consts:
            if isinstance(c, _code):
                learn(c)
            for text in c if isinstance(c, tuple) else (c,):
                if isinstance(text, str) and len(text) < 4096:
                    words = {w for w in re.findall(r"[^\W\d]\w*", text) if w not in never and not w.startswith("__")}
                    said.update(words)
                    if re.fullmatch(r"""[\w ,.\[\]|'"\n]+""", text):
                        known.update(words)

    def loads(frames, name=None, begins=True):
        # A module is loaded: no program asks for it, or the analysis knows its
        # name. Without one the importer has been asked, whose import_module tells nobody.
        # Where the module begins already, the innermost frames of the importer are its own.
        asked, given, program = name, name is not None, True
        for who, frame in frames:
            code = frame.f_code
            if who == "importer":
                if code.co_name == "_call_with_frames_removed":
                    if not begins and type(frame.f_locals["f"]) is _builtin and frame.f_locals["f"].__name__ in (
                            "create_dynamic", "exec_dynamic", "create_builtin", "exec_builtin"):
                        return  # a compiled module begins, and has no frame
                elif code.co_name in ("_find_and_load", "_exec"):
                    begins = False
                    if not given:
                        asked = frame.f_locals["name"]
                        name = asked if name is None else name
            elif who != "library" or code.co_filename not in _LOADERS or asked in code.co_names:
                program = who == "program"
                break
        top, _, part = (name or "").partition(".")
        if program and top[:1] != "_" and top not in _LATE and not (part and top in modules) and top not in known:
            stop("import", "code.load")

    def executes(args):
        code = args[0]
        who, frame = next(walk(), ("nobody", None))
        if who == "nobody" and not state["started"] or who == "runner":
            state["started"] = True
            if isinstance(code, _code):
                learn(code)
        elif who == "importer":
            file = getattr(code, "co_filename", "")
            if "code.load" not in denied:
                pass
            elif whose(file) != "program":
                loads(walk())
            elif not files.get(file, (b"", False))[1]:
                stop("exec.module", "code.load")
            if file.endswith(".py"):
                loaded.add(file)
        elif "code.eval" in denied:
            mine = None
            if who == "library":
                kind, mine = next(((kind, brought) for file, kind, brought in makers if frame.f_code.co_filename.endswith(file)), (None, None))
            fine = mine is not None and isinstance(code, _code) and (
                all(not n or n in known or n in mine or n == "join" or kind == "=" and n in said for n in names(code)) or annotates(frame, code) or
                kind == "=" and has_one_name(code))
            if fine and kind == "@":
                # A template that the library did not bring is text of somebody else's.
                fine = whose(code.co_filename) == "library" and not code.co_filename.startswith("<")
            if not fine and not by_itself(()):
                stop("exec", "code.eval")

    def has_one_name(code):
        # It looks that up, or calls it, and comes to nothing else.
        return (len(code.co_names) == 1 and code.co_names[0] not in never and not code.co_names[0].startswith("__") and
                not any(isinstance(c, _code) for c in code.co_consts))

    def operators(who, file):
        # Of a library that does not come with the interpreter.
        return who == "library" and not file.startswith("<") and (not file.startswith(stdlib) or "-packages/" in file)

    def looks_into_it(code):
        # Of a library that asks for the environment by itself: it is the operator's, or has the name of it in
        # its own code, and does not look up there what it is given. All else asks for who calls it.
        if re.search(r"(^<frozen |/)os(\.py|>)$", code.co_filename) or code.co_name == "_subst_vars":
            return False
        if re.search(r"(^<frozen |/)(posix|nt)path(\.py|>)$", code.co_filename):
            return code.co_name == "expanduser"  # and not expandvars, or what is in it
        return operators("library", code.co_filename) or not _ENVIRONMENT.isdisjoint(code.co_names)

    def calls_its_own(event, args):
        # A library which has parts in C takes one of them by a name that stands in its own code, or calls one.
        for who, frame in walk():
            file = frame.f_code.co_filename
            if who != "library" or not file.startswith(stdlib + "ctypes/"):
                return operators(who, file) and (event == "ctypes.call_function" or event == "ctypes.dlsym" and args[1] in frame.f_code.co_names)
        return False

    def home(names):
        # The file of the library whose module a namespace is.
        if type(names) is not dict or type(names.get("__name__")) is not str or type(names.get("__file__")) is not str:
            return ""
        module, file = modules.get(names["__name__"]), names["__file__"]
        return file if type(module) is type(sys) and module.__dict__ is names and whose(file) == "library" and "/../" not in file else ""

    def annotates(frame, code):
        # Typing evaluates an annotation that stands in the source of a library,
        # among the names of that library: it calls nothing.
        by, held = frame.f_code.co_filename, frame.f_locals
        if by != typing and by != late:
            return False
        text = getattr(held.get("self"), "__forward_arg__", None)
        given = held.get("globalns"), held.get("localns")
        if by == late:  # it has changed what typing gave it
            caller = frame.f_back
            given = (caller.f_locals.get("globals"), caller.f_locals.get("locals")) if caller.f_code.co_filename == typing else ()
        file = next(filter(None, map(home, given)), "")
        if type(text) is not str or not file or not re.fullmatch(r"""[\w ,.\[\]|'"\n]{1,4095}""", text):
            return False
        words = set(re.findall(r"[^\W\d]\w*", text))
        if any(w in never or w.startswith("__") for w in words) or not words.issuperset(code.co_names) or any(isinstance(c, _code) for c in code.co_consts):
            return False
        plain = lambda s: re.sub(r",(?=\])", "", re.sub(r"[\s'\"]", "", s))
        with open(file, encoding="utf-8", errors="replace") as f:
            source = f.read(1 << 20)
        # Where it begins is looked for before what does not count is left out.
        for begin in re.finditer(r"(?:->|[:'\"])[\s'\"]*(?=" + re.escape(re.match(r"[\s'\"]*(\w*)", text)[1]) + ")", source):
            rest = plain(source[begin.end():begin.end() + 8192])
            if rest.startswith(plain(text)) and not re.match(r"[\w.\[(]", rest[len(plain(text)):] if not source[begin.end():].startswith(text) else source[begin.end() + len(text):].lstrip(" ")):
                return True
        return False

    def hook(event, args):
        me = _ident()
        # Looking at frames is an event, too. What else happens meanwhile, as in a finalizer, is the program's.
        own = me in busy
        if not state["sealed"] or own and (event in ("sys._getframe", "object.__getattr__") or _getframe(1).f_code.co_filename == _FILE):
            return
        busy.add(me)
        try:
            judge(event, args)
        finally:
            if not own:
                busy.discard(me)

    def judge(event, args):
        if event == "sallyport.more" or event == "sallyport.unjudged":
            if asks() == "runner" and event == "sallyport.unjudged":
                report(b"v", "import", "code.load")
            elif asks() == "runner" and state["session"]:
                hear(args[0])
            return
        if event == "open" or table.get(event) == "filesystem.read":
            if not denied.isdisjoint(("environment", "native", "filesystem.read", "filesystem.write")):
                opens(event, args)
        if event in _CHANGED:
            alters(event, args)
        if event == "open" or table.get(event, "").startswith("filesystem."):
            return
        if event == "sallyport.brings":
            frames = walk()
            next(frames)  # the runner's
            if "code.load" in denied:
                loads(frames, args[0], False)
            return
        kind = table.get(event)
        if kind is None:
            return
        if event == "exec":
            executes(args)
        elif event == "compile":
            who, frame = next(walk(), ("nobody", None))
            if who == "importer" and args[1] in files:
                files[args[1]][1] = args[0] == files[args[1]][0]
            elif who == "program" and kind in denied and not (type(args[0]) is bytes and b"\n" not in args[0] and str(args[1]).startswith("/")):  # a line that is shown
                stop(event, kind)
        elif event == "import":
            if args[1] and whose(args[1]) == "program" and "native" in denied:
                stop("import.extension", "native")
            elif kind in denied:
                loads(walk(), args[0], bool(args[1]))
        elif kind not in denied:
            return
        elif kind in ("process", "network"):
            if event == "socket.__new__" and args[1] == 1:
                return
            refuse(event, kind) if by_itself(probes) else stop(event, kind)
        elif kind in ("native", "deserialize"):
            if not by_itself(probes) and not calls_its_own(event, args):
                stop(event, kind)
        elif event.startswith("object.__"):
            if args[1] in _FRAMES and asks() == "program" and not (args[1] == "__code__" and asks_signature()):
                stop(event, kind)
        elif event == "sallyport.environ":
            if next((who for who, frame in walk() if who == "program" or who == "library" and looks_into_it(frame.f_code)), "program") == "program":
                stop(event, kind)
        elif event in _ASKED or kind == "environment":
            if asks(inspect) == "program":
                stop(event, kind)
        else:
            stop(event, kind)

    streams = (sys.stdout, sys.stderr)
    sys.addaudithook(hook)
    return hear


hear = _make()
