/* What is imported, executed and compiled. */

/* judged finds what was judged under this path. */
static int judged(text path) {
	for (usize i = 0; i < say.nfiles; i++)
		if (equal(path, say.files[i].path)) return i;
	return -1;
}

/* Modules of the interpreter's own that its parts in C import late, in the
   midst of a program. */
static const char *const late[] = {
	"unicodedata", "locale", "warnings", "linecache", "tracemalloc", "traceback", "copyreg", "threading", "io", "codecs", "datetime",
	"decimal", "numbers", "collections", "re", "enum", "typing", "inspect", "weakref", "contextlib", "atexit", "types", "encodings", "stringprep", 0,
};

/* Files of the standard library that load what their callers name. */
static const char *const loaders[] = {
	"importlib/__init__.py", "importlib/util.py", "pkgutil.py", "pydoc.py", "optparse.py", "doctest.py", "unittest/mock.py", "unittest/loader.py",
	"logging/config.py", "xml/sax/__init__.py", 0,
};

/* relays says that a frame of the library loads what somebody else has named: it is
   one of those, and the name does not stand in its code. */
static int relays(walker *w, text name) {
	text own = w->file;
	if (w->who != LIBRARY || !interpreters(own, &own)) return 0;
	int yes = 0;
	for (int i = 0; !yes && loaders[i]; i++) yes = equal(own, of(loaders[i]));
	return yes && !asked(w, name);
}

/* begun says that a frame of the importer has a compiled module begin, which has no
   frame when it asks for others. */
static int begun(walker *w) {
	object *f = local(w->frame, "f");
	object *name = f && is(f, PyCFunction_Type) ? attribute(f, "__name__") : 0;
	text own = string(name);
	int yes = equal(own, T("create_dynamic")) || equal(own, T("exec_dynamic")) || equal(own, T("create_builtin")) || equal(own, T("exec_builtin"));
	if (name) Py_DecRef(name);
	if (f) Py_DecRef(f);
	return yes;
}

/* going says that the interpreter is about to end: it imports nothing any more. For a warning, or
   an error in a finalizer, it tries all the same, and begins with its builtins. */
static int going(void) {
	object *finders = PySys_GetObject("meta_path");
	return !finders || finders == (object *)_Py_NoneStruct;
}

/* loads judges that a module is loaded: no program asks for it, or the analysis knows
   its name. Who gives none has the importer asked, whose import_module tells nobody.
   Where the module begins already, the innermost frames of the importer are its own. */
static int loads(walker w, text name, int begins_itself) {
	object *first = 0, *last = 0; /* frames of the importer: of this module, and of the one that was asked for */
	int compiled = 0;
	for (; w.who == IMPORTER && !compiled; outwards(&w)) {
		if (called(&w, T("_call_with_frames_removed")))
			compiled = !begins_itself && begun(&w);
		else if (called(&w, T("_find_and_load")) || called(&w, T("_exec"))) {
			begins_itself = 0;
			Py_IncRef(w.frame);
			if (last && last != first) Py_DecRef(last);
			last = w.frame;
			if (!first) first = last;
		}
	}
	object *held[2] = {0, 0};
	text asked = name;
	if (w.who != LIBRARY || begins(w.file, settled->stdlib)) {
		held[0] = local(first, "name");
		held[1] = local(last, "name");
		if (!name.p) name = string(held[0]), asked = string(held[1]);
		while (relays(&w, asked)) outwards(&w);
	}
	int fine = compiled || (w.who != PROGRAM && w.who != NOBODY) || (name.n && name.p[0] == '_');
	text rest = name;
	text top = cut(&rest, '.');
	for (int i = 0; !fine && late[i]; i++) fine = equal(top, of(late[i]));
	object *modules = PySys_GetObject("modules");
	char part[128];
	if (!fine && rest.n && modules && top.n < sizeof part && PyDict_GetItemString) {
		for (usize i = 0; i < top.n; i++) part[i] = top.p[i];
		part[top.n] = 0;
		fine = PyDict_GetItemString(modules, part) != 0; /* a part of what is there */
	}
	fine = fine || (top.n && has(&say.known, top)) || (equal(name, T("builtins")) && going());
	if (last && last != first) Py_DecRef(last);
	if (first) Py_DecRef(first);
	for (int i = 0; i < 2; i++) if (held[i]) Py_DecRef(held[i]);
	leave(&w);
	return fine ? 0 : stop(code_load, T("import"));
}

static int imports(object *args) {
	text name = string(arg(args, 0)), file = string(arg(args, 1));
	if (file.p && whose(file) == PROGRAM) return settled->denied[native] ? stop(native, T("import.extension")) : 0;
	return settled->denied[code_load] && name.p ? loads(innermost(), name, file.p != 0) : 0;
}

/* brought judges a module that was there before the program, and that the runner
   brings back. */
static int brought(object *args) {
	if (!settled->denied[code_load]) return 0;
	walker w = innermost();
	if (w.who == RUNNER) outwards(&w);
	return loads(w, string(arg(args, 0)), 0);
}

/* keep_loaded notes where a module comes from that the importer has executed. Code that a
   program has made can name any file as its own: only a source counts. */
static void keep_loaded(text file) {
	if (file.n && file.p[0] == '/' && ends(file, T(".py")) && !has(&say.loaded, file)) add(&say.loaded, copy(file));
}

/* executes judges an "exec" event: a module that is imported, or code that
   somebody has made. */
static int executes(object *args, text event) {
	object *code = arg(args, 0), *keep = 0;
	text file = filename(code, &keep);
	walker w = innermost();
	int result = 0;
	say.begun |= w.who == NOBODY || w.who == RUNNER;
	if (w.who == NOBODY && !say.started) { /* the program itself */
		say.started = 1;
		if (code && is(code, PyCode_Type)) learn(code, 0);
	} else if (w.who == RUNNER) {
		if (code && is(code, PyCode_Type)) learn(code, 0); /* the cell of a session */
	} else if (w.who == IMPORTER) {
		int f;
		if (!settled->denied[code_load]) {
		} else if (!file.p || whose(file) != PROGRAM)
			result = loads(innermost(), (text){0, 0}, 1);
		else if ((f = judged(file)) < 0 || !say.files[f].read)
			result = stop(code_load, T("exec.module"));
		if (!result) keep_loaded(file);
	} else if (settled->denied[code_eval]) {
		int m = w.who == LIBRARY ? maker(w.file) : -1;
		int fine = m >= 0 && code && is(code, PyCode_Type) && (accounted(code, m, 0) || annotates(&w, code) || (say.makers[m].kind == FORMULA && has_one_name(code)));
		/* A template that the library did not bring is text of somebody else's. */
		if (fine && say.makers[m].kind == TEMPLATE) fine = file.p && !begins(file, T("<")) && whose(file) == LIBRARY;
		if (!fine && !by_itself(0)) result = stop(code_eval, event);
	}
	leave(&w);
	if (keep) Py_DecRef(keep);
	return result;
}

/* shown says that a line of a file may be read again because an exception is shown that
   nobody catches, as in a finalizer: 3.11 and 3.12 look where in it that was. Who has such
   bytes compiled and runs them is met there. */
static int shown(text source, text path) {
	for (usize i = 0; i < source.n; i++) if (source.p[i] == '\n') return 0;
	return source.p && path.n && path.p[0] == '/';
}

/* compiles judges a "compile" event. What a library compiles is judged when it
   is executed. */
static int compiles(object *args, text event) {
	walker w = innermost();
	int result = 0;
	text path = string(arg(args, 1)), source = bytes(arg(args, 0));
	int f = w.who == IMPORTER && path.p ? judged(path) : -1;
	if (f >= 0) say.files[f].read = source.p && equal(source, say.files[f].data);
	/* Nobody asks when the interpreter reads a line again for a traceback. */
	if (w.who == PROGRAM && settled->denied[code_eval] && !shown(source, path)) result = stop(code_eval, event);
	leave(&w);
	return result;
}
