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

import sallyport_inside as inside

_TOP = os.getcwd()


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
            if value is not None and not _drawn(value):
                print(_text(value))
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


def _text(value):
    """A value as text: a table of pandas whole, as far as people read one."""
    kind = type(value)
    if kind.__module__.partition(".")[0] == "pandas" and kind.__name__ == "DataFrame":
        return value.to_string(max_rows=60, max_cols=20, show_dimensions=len(value) > 60)
    return repr(value)


def _drawn(value):
    """Leave what a cell comes to as a picture or a page, if it is a figure."""
    global _pictures
    kind, figures = type(value), sys.modules.get("sallyport_figures")
    try:
        if figures is not None and isinstance(value, figures.Figure):
            if not figures.is_open(value):  # else it is shown at the end of the cell
                figures.leave(value)
            return True
        if kind.__module__.partition(".")[0] == "plotly" and hasattr(kind, "show"):
            value.show()
            return True
        data = value._repr_png_() if hasattr(kind, "_repr_png_") else None
        if isinstance(data, bytes):
            _pictures += 1
            with open("picture-%d.png" % _pictures, "wb") as f:
                f.write(data)
            return True
    except Exception:
        pass  # then it is text
    return False


_pictures = 0


def _show():
    """Show what a cell has drawn with pyplot and not shown, as a notebook would."""
    figures = sys.modules.get("sallyport_figures")
    if figures is not None:
        try:
            figures.show()
        except Exception:
            pass  # the cell has made it something else


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass  # the cell has closed or replaced it


def _serve():
    sys.path[0] = _TOP
    sys.meta_path.insert(0, inside.Figures())
    sys.argv[:] = [""]
    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    sys.modules["__main__"] = main
    known, number, sources = {}, 0, {}
    inside.prepare()
    inside.given()
    inside.answer("ready")
    while True:
        code, path, caps, denied, lifted, names, observe, referred, seen = b"", "", (0, 0), (), b"", b"", False, [], b""
        for tag, value in inside.job():
            if tag == b"c":
                code = value
            elif tag == b"n":
                denied = value.decode().split(",")
            elif tag == b"y":
                lifted = value
            elif tag == b"l":
                caps = tuple(map(int, value.split()))
            elif tag == b"p":
                path = value.decode()
            elif tag == b"d" or tag == b"e":
                inside.put(path, value)
                if tag == b"e":
                    sources[_TOP + "/" + path] = value
                inside.note(path, known)
            elif tag == b"r":
                inside.place(path)
                referred.append(path)
            elif tag == b"i":
                names = value
            elif tag == b"s":
                seen = value
            elif tag == b"w":
                observe = True
        number += 1
        if referred:
            inside.given(referred)
        if number == 1:
            inside.Judged(sources, denied, observe).install()
            inside.guard(denied, names, (), observe, lifted, seen, session=True)
        else:
            inside.goes_on(names, seen)
        said = _run(code, "cell-%d.py" % number, main.__dict__)
        _show()
        _flush()
        inside.collect(known, *caps)
        inside.answer(said)


_serve()
