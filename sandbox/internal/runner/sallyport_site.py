# Imported before the site module, as the category of a warning (see Argv), which
# is the one way to be there that early. Lines of .pth files that are code are
# left out here but for those that may have to do with how modules are found:
# nobody chose to have the others run in a sandbox, and some import a hundred
# modules. Lines that are paths stay.
import _io
import io

_FINDS = (b"sys", b"editable", b"find", b"load", b"importlib", b"pkgutil", b"hook", b"namespace", b"distutils", b"codec")
_open_code = io.open_code


class Line(Warning):
    """Is never given."""


def _stays(line):
    return not line.startswith((b"import ", b"import\t")) or any(word in line for word in _FINDS)


def _filtered(path):
    file = _open_code(path)
    if not path.endswith(".pth"):
        return file
    with file:
        return io.BytesIO(b"".join(line if _stays(line) else b"#\n" for line in file.read().splitlines(True)))


def done():
    """Leave the interpreter as it were without this."""
    import sys
    import warnings
    io.open_code = _io.open_code = _open_code
    del sys.modules[__name__]
    sys.warnoptions[:] = [o for o in sys.warnoptions if not o.endswith("::" + __name__ + ".Line")]
    warnings.filters[:] = [f for f in warnings.filters if f[2] is not Line]
    import _warnings
    if hasattr(_warnings, "_filters_mutated"):
        _warnings._filters_mutated()


io.open_code = _io.open_code = _filtered  # 3.14 takes the latter
