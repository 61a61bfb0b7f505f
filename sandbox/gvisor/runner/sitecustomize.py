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
    body = _read(fd, int.from_bytes(_read(fd, 4), "big"))
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
    with open(path, "wb") as f:
        f.write(data)


def _answer(fd, text):
    body = text.encode("utf-8", "replace")
    body = len(body).to_bytes(4, "big") + body
    while body:
        body = body[os.write(fd, body):]


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


def _main():
    job_fd, report_fd = 100, 101
    me = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if p != me]
    sys.path_importer_cache.pop(me, None)
    os.environ.pop("PYTHONPATH", None)
    _answer(report_fd, "ready")
    args, code, path, known = [], b"", "", set()
    for tag, value in _job(job_fd):
        if tag == b"c":
            code = value
        elif tag == b"i":
            known = set(value.decode().split("\n"))
        elif tag == b"a":
            args.append(value.decode("utf-8", "surrogateescape"))
        elif tag == b"p":
            path = value.decode()
        elif tag == b"d":
            _write(path, value)
    if b"\0" in code:
        raise ValueError("a null byte in the program")
    unknown = _unknown(code, known)
    if unknown:
        _answer(report_fd, "mismatch\n" + "\n".join(sorted(unknown)[:100]))
        os._exit(0)
    sys.argv[1:] = args
    _write("main.py", code)
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
