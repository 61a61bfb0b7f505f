# Started by the site module, before the program. It waits for a job, puts the
# program and its files into the work directory, tells the host, removes what
# it can of itself and returns; the interpreter then runs main.py natively, so
# that tracebacks, exit codes and __main__ are those of `python3 main.py`.
# Whatever goes wrong here must end the process: site ignores exceptions, and
# the program would run unchecked.
import os
import sys

# The modules that were imported before there was a program, and those that are
# put away until the program imports them.
_preloaded, _away = set(), {}


def _warm_up():
    """Import what most programs import, in a sandbox that waits for one, and
    take every step once that is taken with a program: what has been touched is
    quick to touch again."""
    wanted, _, chosen = os.environ.pop("SALLYPORT_PRELOAD", "").partition(";")
    if not wanted:
        return
    import gc
    before = set(sys.modules)
    for name in wanted.split(","):
        try:
            __import__(name)
        except Exception:
            pass  # not in this environment; the program will be told
    _preloaded.update(set(sys.modules) - before)
    needs = _import(chosen.split(",")) if chosen else {}
    program = b"def f(x):\n    return [y for y in x if y]\nclass C:\n    a = 1\ntry:\n    z = f'{len(f([1])):>4}'\nexcept Exception as e:\n    raise\n"
    _unknown(program, {"f"})
    _inside.fields(b"c\0\0\0\1x")
    _inside.put("main.py", program)
    with open("main.py", encoding="utf-8") as f:
        os.set_inheritable(f.fileno(), False)
        exec(compile(f.read(), "main.py", "exec"), {"__name__": "rehearsal"})
    os.remove("main.py")
    sys.stdout.flush()
    keep = [_spare_at_end()]
    keep.append(keep)  # a cycle that nobody will look at again
    if chosen:
        _put_away(before | _preloaded, needs)
    gc.collect()
    gc.freeze()
    # What is frozen is not collected at the end either, which the program would
    # notice of its own module.
    main = type(sys)("__main__")
    main.__dict__.clear()
    main.__dict__.update(sys.modules["__main__"].__dict__)
    sys.modules["__main__"] = main


def _import(names):
    """Import what the operator chose, and return for each module which others its
    code asked for."""
    import builtins
    from _frozen_importlib import _calc___package__, _resolve_name
    modules, real, needs = sys.modules, builtins.__import__, {}

    def noting(name, globals=None, locals=None, fromlist=(), level=0):
        full = _resolve_name(name, _calc___package__(globals), level) if level else name
        asks = needs.setdefault(globals.get("__name__", "") if globals else "", set())
        asks.add(full)
        asks.update(full + "." + part for part in fromlist or () if isinstance(part, str))
        had = set(modules)
        try:
            return real(name, globals, locals, fromlist, level)
        finally:
            needs.setdefault(full, set()).update(set(modules) - had)

    builtins.__import__ = noting
    for name in names:
        try:
            real(name)
        except Exception:
            pass  # not in this environment; the program will be told
    if builtins.__import__ is noting:
        builtins.__import__ = real
    return needs


def _put_away(stay, needs):
    """Have nothing there that the operator chose before the program imports it:
    the hooks hear of an import, and what was not imported cannot be found. What
    is imported comes back with all that it asked for itself."""
    from _frozen_importlib import ModuleSpec
    modules, away, back, parts, kind = sys.modules, _away, set(), {}, type(sys.implementation)
    audit = getattr(sys, "audit", lambda *event: None)
    away.update((name, module) for name, module in modules.items() if name not in stay)
    for name, module in away.items():
        above, _, last = name.rpartition(".")
        package = away.get(above) or modules.get(above)
        if getattr(package, "__dict__", {}).get(last) is module:
            parts[name] = package, last
            delattr(package, last)
        modules.pop(name, None)

    def bring(name):
        todo = [name]
        while todo:
            name = todo.pop()
            if name not in away or name in back:
                continue
            back.add(name)
            if modules.setdefault(name, away[name]) is away[name] and name in parts:
                setattr(*parts[name], away[name])
            todo.append(name.rpartition(".")[0])
            todo.extend(needs.get(name, ()))

    def find_spec(name, path=None, target=None):
        module = modules.get(name) if name in back else away.get(name)
        if module is None or target is not None or module is not away.get(name):
            return None
        own = getattr(module, "__spec__", None)

        def exec_module(module):
            audit("sallyport.brings", name)
            module.__spec__ = own
            bring(name)

        return ModuleSpec(name, kind(create_module=lambda spec: module, exec_module=exec_module))

    sys.meta_path.insert(0, kind(find_spec=find_spec))


def _spare_at_end():
    """Have the modules that are there already not be taken apart at the end of
    the program: that takes longer than most programs do. It shows in a module
    to which the program has added something; that one is. Returns what must
    stay alive."""
    import atexit
    import gc
    modules, callbacks = sys.modules, gc.callbacks
    # The interpreter itself looks for the last two when it reports an error.
    without = ("__main__", "sys", "builtins", "sitecustomize", "io", "encodings.utf_8")
    kept = [(name, m, len(m.__dict__)) for name, m in modules.items() if name not in without and hasattr(m, "__dict__")]

    def spare(phase, info):
        if phase != "stop":
            return
        callbacks.remove(spare)
        for name, module, size in kept:
            if modules.get(name) is module and len(module.__dict__) == size:
                del modules[name]

    # The collection before the modules go is the last moment to do it, and what
    # registers first is called last.
    atexit.register(callbacks.append, spare)
    return kept


def _forget(path):
    """Make the program's own module win over one imported in advance."""
    name = path.split("/")[0].split(".")[0]
    for loaded in _preloaded:
        if loaded == name or loaded.startswith(name + "."):
            sys.modules.pop(loaded, None)
    if path in (name + ".py", name + "/__init__.py"):
        for loaded in [n for n in _away if n == name or n.startswith(name + ".")]:
            del _away[loaded]


def _collector(known, caps):
    """Have the files sent that a program leaves behind: no more than caps, and
    not those that are known, both of which are filled in later."""
    import atexit
    getpid, collect = os.getpid, _inside.collect
    me = getpid()

    def guarded():
        if not caps or getpid() != me:
            return  # not asked for, or a child that ended like its parent
        try:
            collect(known, *caps)
        except Exception:
            pass  # the host misses the end mark

    # Registered before everything the program registers: runs after all that.
    atexit.register(guarded)


# Names that the compiler itself puts into code objects: "join" for an f-string of
# many parts. Those that start with a dot are no identifiers at all.
_GENERATED = {
    "", "__class__", "__classcell__", "__classdict__", "__classdictcell__", "__module__", "__name__",
    "__qualname__", "__doc__", "__annotations__", "__conditional_annotations__", "__annotate__", "__annotate_func__",
    "__firstlineno__", "__static_attributes__", "__type_params__", "__debug__", "AssertionError",
    "NotImplementedError", "format", "join",
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
    me = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if p != me]
    sys.path_importer_cache.pop(me, None)
    os.environ.pop("PYTHONPATH", None)
    if "sallyport_site" in sys.modules:
        sys.modules["sallyport_site"].done()
    sys.meta_path.insert(0, _inside.Figures())
    _inside.prepare()
    del sys.modules["sallyport_inside"]
    files, caps = {}, []
    _collector(files, caps)
    _warm_up()
    here = os.getcwd() + "/"
    main = os.open("main.py", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    _inside.answer("ready")
    sources, args, code, path, known, paths, judged, referred, limits, denied, lifted, marks, seen = {}, [], b"", "", b"", ["main.py"], [], [], (), (), b"", b"", b""
    for tag, value in _inside.job():
        if tag == b"c":
            code = value
        elif tag == b"i":
            known = value
        elif tag == b"a":
            args.append(value.decode("utf-8", "surrogateescape"))
        elif tag == b"p":
            path = value.decode()
            paths.append(path)
        elif tag == b"n":
            denied = value.decode().split(",")
        elif tag == b"y":
            lifted = value
        elif tag == b"s":
            seen = value
        elif tag == b"l":
            limits = map(int, value.split())
        elif tag == b"d" or tag == b"e":
            _forget(path)
            _inside.put(path, value)
            if tag == b"e":
                sources[here + path] = value
                judged.append((path, value))
        elif tag == b"r":
            _inside.place(path)
            referred.append(path)
        elif not value:
            marks += tag
    if b"\0" in code:
        raise ValueError("a null byte in the program")
    unknown = _unknown(code, set(known.decode().split("\n")))
    if unknown:
        _inside.answer("mismatch\n" + "\n".join(sorted(unknown)[:100]))
        os._exit(0)
    if b"h" in marks and _inside.hooked != "c":
        _inside.answer("unhooked")
        os._exit(0)
    if b"o" in marks:  # only an opinion
        _inside.answer("ok\n" + _inside.hooked)
        os._exit(0)
    sys.argv[1:] = args
    _inside.write(main, code)
    sources[here + "main.py"] = code
    _inside.Judged(sources, denied, b"w" in marks).install()
    os.close(main)
    if sys.version_info >= (3, 9):
        # The program is no archive. The interpreter would look, at length.
        sys.path_importer_cache[here + "main.py"] = None
    if b"f" in marks:  # the files are ours to send
        for path in paths:
            _inside.note(path, files)
        caps.extend(limits)
    else:
        _inside.given(referred)
    _inside.guard(denied, known, [f for f in judged if f[0].endswith(".py")], b"w" in marks, lifted, seen)
    _inside.answer("ok\n" + _inside.hooked)
    os.close(100)
    os.close(101)


try:
    import sallyport_inside as _inside
    _main()
except BaseException as e:
    try:
        _inside.answer("error " + type(e).__name__ + ": " + str(e))
    finally:
        os._exit(70)
for _name in [n for n in globals() if n[:2] != "__"]:
    del globals()[_name]
