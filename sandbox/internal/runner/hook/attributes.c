/* Attributes that lead to what is not the program's, functions of which CPython has no
   event, frames and the environment. */

/* Attributes with which a program has what is not its own: frames, and what is in them, and
   what a function of somebody else's can see. */
static const char *const frames[] = {
	"__code__", "__globals__", "__builtins__", "__closure__", "tb_frame", "gi_frame", "gi_code", "cr_frame", "cr_code", "ag_frame", "ag_code",
	"f_code", "f_back", "f_builtins", "f_globals", "f_locals", 0,
};

/* goes_through says that code has a name in a list of such, each of which it asks for. */
static int goes_through(object *consts, text name) {
	int yes = 0;
	for (ssize i = 0; !yes && i < PyTuple_Size(consts); i++) {
		object *c = PyTuple_GetItem(consts, i);
		yes = is(c, PyTuple_Type) && among(c, name);
	}
	return yes;
}

/* holds says that the code of a frame has a name, or has it as a text. */
static int holds(const walker *w, text name) {
	if (asked(w, name)) return 1;
	object *consts = w->code ? attribute(w->code, "co_consts") : 0;
	int yes = consts && (among(consts, name) || goes_through(consts, name));
	if (consts) Py_DecRef(consts);
	return yes;
}

/* Functions of the library that give whoever calls them what they find in a function, a frame
   or a module: in a file, or in all of it where no name stands. */
static const struct { const char *file, *function; } givers[] = {
	{"inspect.py", "getclosurevars"}, {"inspect.py", "getgeneratorlocals"}, {"inspect.py", "getcoroutinelocals"}, {"inspect.py", "getasyncgenlocals"},
	{"inspect.py", "getargvalues"}, {"cgitb.py", "lookup"}, {"cgitb.py", "scanvars"}, {"doctest.py", "find"}, {"bdb.py", 0}, {"pdb.py", 0}, {"trace.py", 0}, {"profile.py", 0},
};

/* Files of the library that ask a module for its names to do what they are for. All others ask
   objects of their own, in the place of which a program may put a module. */
static const char *const readers[] = {
	"inspect.py", "enum.py", "dataclasses.py", "typing.py", "annotationlib.py", "doctest.py", "pydoc.py", "warnings.py", "_py_warnings.py", "gettext.py", "runpy.py", "pkgutil.py",
	"functools.py", "rlcompleter.py", "zipimport.py", "importlib/", "unittest/", "logging/config.py", "distutils/", 0,
};

static int gives(const walker *w, text name) {
	text own;
	if (!interpreters(w->file, &own)) return 0;
	for (usize i = 0; i < sizeof givers / sizeof *givers; i++)
		if (equal(own, of(givers[i].file)) && (!givers[i].function || called(w, of(givers[i].function)))) return 1;
	if (!equal(own, T("unittest/mock.py")) || !called(w, T("get_original"))) return 0;
	object *patched = local(w->frame, "name"); /* what is there, in the place of which something else comes */
	int yes = equal(string(patched), name);
	if (patched) Py_DecRef(patched);
	return yes;
}

/* Instructions have other numbers in each version: those of an attribute that is read or
   written, of a method and of a constant are learned of code that has one of them. */
static struct { int attribute, method, constant, written, shift; } instructions;

static int learned(object *code, int *number) {
	object *held = code ? attribute(code, "co_code") : 0;
	text all = bytes(held);
	int argument = 0;
	for (usize i = 0; !argument && i + 1 < all.n; i += 2) *number = (unsigned char)all.p[i], argument = (unsigned char)all.p[i + 1];
	if (held) Py_DecRef(held);
	return argument;
}

static void learn_instructions(void) {
	object *builtins = loaded("builtins");
	static const char *const sources[] = {"a.b", "a.b()", "a('b', 'c')", "a.b = a"};
	int *const numbers[] = {&instructions.attribute, &instructions.method, &instructions.constant, &instructions.written};
	for (int i = 0; builtins && i < 4; i++) {
		object *code = PyObject_CallMethod(builtins, "compile", "sss", sources[i], "", i < 3 ? "eval" : "exec");
		if (!code) PyErr_Clear();
		int argument = learned(code, numbers[i]);
		if (!i) instructions.shift = argument > 1;
		if (code) Py_DecRef(code);
	}
}

/* is_at says that a frame is where its code asks for a name: as an attribute, or just behind
   a constant (getattr). A library that is elsewhere has called what
   its caller gave it, which has no frame when it is made in C. */
static int is_at(const walker *w, text name) {
	enum { NEAR = 48, METHOD = 24 }; /* bytes, most of them room for what the interpreter keeps of an instruction */
	object *held[] = {attribute(w->code, "co_code"), attribute(w->code, "co_names"), attribute(w->code, "co_consts"), attribute(w->frame, "f_lasti")};
	text all = bytes(held[0]);
	long at = held[3] ? PyLong_AsLong(held[3]) : -1;
	if (PyErr_Occurred()) PyErr_Clear();
	int yes = !instructions.attribute || !all.p || !held[1] || !held[2] || at < 0, near = equal(name, T("__subclasses__")) ? METHOD : 0;
	for (long i = at > NEAR ? at - NEAR : 0; !yes && i <= at && (usize)i + 1 < all.n; i += 2) {
		int number = (unsigned char)all.p[i];
		ssize n = (unsigned char)all.p[i + 1], far = i > 1 ? (ssize)(unsigned char)all.p[i - 1] << 8 | n : n; /* after EXTENDED_ARG */
		for (int k = 0; !yes && k < 2; k++, n = far) {
			object *one = 0;
			if ((number == instructions.attribute || number == instructions.method) && i >= at - near) one = arg(held[1], n >> instructions.shift);
			else if (number == instructions.written && i == at) one = arg(held[1], n);
			else if (number == instructions.constant) one = arg(held[2], n);
			yes = one && equal(string(one), name);
		}
	}
	yes = yes || goes_through(held[2], name);
	for (int i = 0; i < 4; i++) if (held[i]) Py_DecRef(held[i]);
	return yes;
}

/* What code has that are numbers and names, with which nobody gets hold of it. */
static const char *const signature[] = {"co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_varnames", "co_name", "co_qualname", "co_firstlineno", "co_nlocals", "co_flags", "co_freevars", "co_cellvars", 0};

/* asks_signature says that the program reads the code of a function where its text says so, and goes on at once to what
   that is called or takes: the instruction behind asks what is read for such a name. Of names beyond the 128th an
   instruction says only a part. */
static int asks_signature(void) {
	walker w = innermost();
	object *held[] = {w.code ? attribute(w.code, "co_code") : 0, w.code ? attribute(w.code, "co_names") : 0, w.frame ? attribute(w.frame, "f_lasti") : 0};
	text all = bytes(held[0]);
	long at = held[2] ? PyLong_AsLong(held[2]) : -1;
	if (PyErr_Occurred()) PyErr_Clear();
	int yes = 0;
	if (w.who == PROGRAM && instructions.attribute && all.p && held[1] && PyTuple_Size(held[1]) < 128 && at >= 0 && (usize)at + 1 < all.n && (unsigned char)all.p[at] == instructions.attribute &&
		equal(string(arg(held[1], (unsigned char)all.p[at + 1] >> instructions.shift)), T("__code__"))) {
		usize next = (usize)at + 2;
		while (next + 1 < all.n && !all.p[next]) next += 2; /* room for what the interpreter keeps */
		int number = next + 1 < all.n ? (unsigned char)all.p[next] : -1;
		object *name = number == instructions.attribute || number == instructions.method ? arg(held[1], (unsigned char)all.p[next + 1] >> instructions.shift) : 0;
		for (int i = 0; name && !yes && signature[i]; i++) yes = equal(string(name), of(signature[i]));
	}
	for (int i = 0; i < 3; i++) if (held[i]) Py_DecRef(held[i]);
	leave(&w);
	return yes;
}

/* Functions of which CPython has no event, and what each asks for. */
static const struct { const char *module, *name, *told; enum capability capability; } functions[] = {
	{"builtins", "globals", "builtins.lookup", introspection}, {"builtins", "locals", "builtins.lookup", introspection}, {"builtins", "vars", "builtins.lookup", introspection},
	{"_signal", "signal", "signal.signal", signals}, {"_signal", "alarm", "signal.timer", signals}, {"_signal", "setitimer", "signal.timer", signals},
	{"_signal", "raise_signal", "signal.raise", signals}, {"_signal", "pidfd_send_signal", "signal.raise", signals}, {"posix", "abort", "os.abort", signals},
	{"posix", "mkfifo", "os.mkfifo", filesystem_write}, {"posix", "mknod", "os.mkfifo", filesystem_write},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* takes says that a frame of a library asks by itself for an attribute, or for what a function
   does. A mock looks at all that what it stands for has, and keeps none of it. */
static int takes(const walker *w, text name) {
	text own;
	int library = interpreters(w->file, &own), yes = 0;
	if (library && equal(own, T("unittest/mock.py")) && called(w, T("_mock_add_spec"))) return 1;
	for (int i = 0; i < FUNCTIONS; i++)
		if (equal(name, of(functions[i].name)))
			return (holds(w, name) && !(library && equal(own, T("signal.py")))) || (library && equal(own, T("timeit.py")) && asked(w, T("_globals")));
	if (!equal(name, T("__dict__"))) return holds(w, name) && is_at(w, name);
	if (!holds(w, name) && !asked(w, T("dir")) && !asked(w, T("vars"))) return 0; /* which look for it */
	for (int i = 0; library && !yes && readers[i]; i++) yes = begins(own, of(readers[i]));
	return yes || !library;
}

/* wants is who wants an attribute, or what a function does: a library that looks up what it is
   told to does it for who calls it, and so does one that gives it away, but for a library that
   calls it by name. */
static enum who wants(text name) {
	if (!say.begun) return RUNNER; /* there is no program yet */
	if (by_itself(0)) return LIBRARY;
	walker w = innermost();
	object *giver = 0, *file = 0;
	for (; w.who == LIBRARY || w.who == RUNNER; outwards(&w)) {
		if (gives(&w, name)) {
			if (giver) Py_DecRef(giver);
			if (file) Py_DecRef(file);
			giver = attribute(w.code, "co_name");
			file = attribute(w.code, "co_filename");
		} else if (giver ? asked(&w, string(giver)) && (equal(w.file, string(file)) || begins(string(giver), T("get"))) : takes(&w, name))
			break;
	}
	if (giver) Py_DecRef(giver);
	if (file) Py_DecRef(file);
	return asker(&w);
}

/* lists_all says that who asks a module for its names has said so in its text. */
static int lists_all(void) {
	static const char *const ways[] = {"__dict__", "__dir__", "__annotations__", "*", "builtins.dir", "builtins.vars", 0};
	int yes = 0;
	for (int i = 0; ways[i] && !yes; i++) yes = has(&say.known, of(ways[i]));
	return yes;
}

/* reads_variables says that a library is loaded whose machine code looks for the variables of
   who calls it, in its frames: a table of duckdb may be one. */
static int reads_variables(void) {
	object *duckdb = loaded("duckdb");
	return duckdb && is(duckdb, PyModule_Type) && home(PyModule_GetDict(duckdb)).p;
}

/* likens says that the interpreter may be about to show an error, of the program or of a thread, or its
   library is, and to look for a name like the one that a module lacks. That may be somebody without a
   frame, too: so the module keeps its names, and the error is shown without one. */
static int likens(object *module) {
	walker w = innermost();
	text own;
	int yes = !w.frame ? PySys_GetObject("last_value") != 0
		: w.who == LIBRARY && interpreters(w.file, &own) && ((equal(own, T("threading.py")) && called(&w, T("invoke_excepthook"))) ||
			(equal(own, T("traceback.py")) && called(&w, T("_compute_suggestion_error"))));
	leave(&w);
	yes = yes && is(module, PyModule_Type);
	if (yes) PyErr_SetString(PyExc_RuntimeError, "not told");
	return yes;
}

static int reads(text name, text event) {
	if (equal(name, T("__dict__"))) return !lists_all() && wants(name) == PROGRAM ? stop(introspection, event) : 0;
	for (int i = 0; frames[i]; i++)
		if (name.p && equal(name, of(frames[i])))
			return wants(name) == PROGRAM && !(begins(name, T("f_")) && reads_variables()) && !(equal(name, T("__code__")) && asks_signature()) ? stop(introspection, event) : 0;
	return 0;
}

/* CPython tells of some of these attributes alone. Of the others it tells when the tables of
   its own types say so, or call us: these are laid out alike in 3.9 to 3.13. */
struct member { const char *name; int type; ssize offset; int flags; };
struct getter { const char *name; object *(*get)(object *, void *); void *set; const char *doc; void *closure; };
struct method { const char *name; object *(*call)(object *, object *); };
struct descriptor { usize count; object *type, *of, *name, *full; void *table; };

static struct watched { text name; object *(*get)(object *, void *); void *closure; } watched[8];
static object *(*subclasses)(object *, object *);
static const text got = T("object.__getattr__");

static object *watched_get(object *o, void *which) {
	struct watched *w = which;
	object *v = w->get(o, w->closure);
	if (v && o != asking && settled->denied[introspection]) {
		if (begins(w->name, T("f_"))) reads(w->name, got);
		else if (is(v, PyModule_Type) && wants(w->name) == PROGRAM) stop(introspection, got);
	}
	return v;
}

/* watched_subclasses: from the classes of the interpreter all others can be reached. Those
   of a library or a program have what they are asked for by abc. */
static object *watched_subclasses(object *type, object *none) {
	enum { HEAP = 1 << 9 };
	if (settled->denied[introspection] && !(PyType_GetFlags(type) & HEAP) && wants(T("__subclasses__")) == PROGRAM) stop(introspection, got);
	return subclasses(type, none);
}

typedef object *function(object *self, void *args, ssize n, object *names); /* one that takes less leaves the rest alone */
static function *originals[FUNCTIONS];

/* uses_it says that the analysis has told of a builtin function that the text uses. */
static int uses_it(text name) {
	char whole[32] = "builtins.";
	for (usize i = 0; i < name.n; i++) whole[9 + i] = name.p[i];
	return has(&say.known, (text){whole, 9 + name.n});
}

static object *called_through(int i, object *self, void *args, ssize n, object *names) {
	text name = of(functions[i].name), told = of(functions[i].told);
	enum capability c = functions[i].capability;
	if (!settled->denied[c]) {
	} else if (c == filesystem_write) {
		object *held[2] = {0, 0};
		text path = n > 0 && !names ? given(*(object **)args, held) : (text){0, 0};
		if (path.p) changes(CWD, path, 0, told);
		else stop(c, told);
		let_go(held);
	} else if (!(c == introspection && uses_it(name)) && wants(name) == PROGRAM)
		stop(c, told);
	return originals[i](self, args, n, names);
}
#define THROUGH(i) static object *through_##i(object *self, void *args, ssize n, object *names) { return called_through(i, self, args, n, names); }
THROUGH(0) THROUGH(1) THROUGH(2) THROUGH(3) THROUGH(4) THROUGH(5) THROUGH(6) THROUGH(7) THROUGH(8) THROUGH(9) THROUGH(10)
static function *const through[FUNCTIONS] = {through_0, through_1, through_2, through_3, through_4, through_5, through_6, through_7, through_8, through_9, through_10};

/* changeable says that a word of the interpreter's can be written: the kernel does so, and
   what it was is put back. */
static int changeable(void *p) {
	unsigned long was = *(unsigned long *)p;
	long r = call(SYS_sigprocmask, 0, 0, (long)p, sizeof was);
	if (!r) *(unsigned long *)p = was;
	return !r;
}

/* described is what a type has of an attribute, which the caller lets go; nothing where the
   interpreter is made in another way than we know. */
static struct descriptor *described(const char *type, const char *name) {
	object *all = type && PyMapping_GetItemString ? attribute((object *)type, "__dict__") : 0, *found = all ? PyMapping_GetItemString(all, name) : 0;
	if (PyErr_Occurred()) PyErr_Clear();
	struct descriptor *d = (void *)found;
	object *own = found ? attribute(found, "__name__") : 0;
	int fine = own && (const char *)d->of == type && d->name == own && *(const char **)d->table && equal(of(*(const char **)d->table), of(name));
	if (own) Py_DecRef(own);
	if (all) Py_DecRef(all);
	if (found && !fine) Py_DecRef(found);
	return fine ? d : 0;
}

/* watch has us called for an attribute of a type. */
static void watch(const char *type, const char *name) {
	static usize n;
	struct descriptor *d = described(type, name);
	if (!d) return;
	struct member *member = d->table;
	struct getter *getter = d->table;
	struct method *method = d->table;
	if (is((object *)d, PyMemberDescr_Type) && changeable(&member->flags))
		member->flags |= 2; /* Py_AUDIT_READ */
	else if (is((object *)d, PyGetSetDescr_Type) && n < sizeof watched / sizeof *watched && changeable(&getter->get) && changeable(&getter->closure)) {
		watched[n] = (struct watched){of(name), getter->get, getter->closure};
		getter->closure = &watched[n++];
		getter->get = watched_get;
	} else if (is((object *)d, PyMethodDescr_Type) && changeable(&method->call)) {
		subclasses = method->call;
		method->call = watched_subclasses;
	}
	Py_DecRef((object *)d);
}

/* watch_function has us called in the place of a function. */
static void watch_function(int i) {
	struct { usize count; object *type; struct method *method; } *f;
	object *module = PyImport_ImportModule ? PyImport_ImportModule(functions[i].module) : 0;
	f = module && PyDict_GetItemString ? (void *)PyDict_GetItemString(PyModule_GetDict(module), functions[i].name) : 0;
	if (PyErr_Occurred()) PyErr_Clear();
	if (module) Py_DecRef(module);
	if (!f || !is((object *)f, PyCFunction_Type) || !equal(of(f->method->name), of(functions[i].name)) || !changeable(&f->method->call)) return;
	originals[i] = (void *)f->method->call;
	f->method->call = (void *)through[i];
}

/* watch_all is done while there is no program, and may wait for one. */
static void watch_all(void) {
	static const struct { const char *type, *name; } attributes[] = {
		{PyType_Type, "__subclasses__"}, {PyFunction_Type, "__globals__"}, {PyFunction_Type, "__builtins__"}, {PyFunction_Type, "__closure__"},
		{PyFrame_Type, "f_code"}, {PyFrame_Type, "f_back"}, {PyFrame_Type, "f_builtins"}, {PyFrame_Type, "f_globals"}, {PyFrame_Type, "f_locals"},
		{PyCFunction_Type, "__self__"}, {PyModule_Type, "__dict__"},
	};
	struct descriptor *usual = described(attributes[0].type, attributes[0].name);
	if (!usual) return;
	Py_DecRef((object *)usual);
	learn_instructions();
	for (usize i = 0; i < sizeof attributes / sizeof *attributes; i++) watch(attributes[i].type, attributes[i].name);
	for (int i = 0; i < FUNCTIONS; i++) watch_function(i);
}

/* hands_out says that a frame of the library gets frames for whoever calls it, or has what it
   is given called with them. */
static int hands_out(const walker *w, int traces) {
	static const char *const tracers[] = {"threading.py", "bdb.py", "pdb.py", "trace.py", "profile.py", 0};
	text own;
	if (w->who != LIBRARY || !interpreters(w->file, &own)) return 0;
	for (int i = 0; traces && tracers[i]; i++) if (equal(own, of(tracers[i]))) return 1;
	if (equal(own, T("logging/__init__.py"))) return called(w, T("currentframe")) || called(w, T("<lambda>"));
	return equal(own, T("inspect.py"));
}

/* asks_for_frames is who wants the frames that somebody asks for. */
static enum who asks_for_frames(text event) {
	int traces = equal(event, T("sys.settrace")) || equal(event, T("sys.setprofile")) || equal(event, T("sys.monitoring.register_callback"));
	walker w = innermost();
	while (hands_out(&w, traces)) outwards(&w);
	return asker(&w);
}

/* looks_into_it says that a frame of a library asks for the environment by itself: it is
   the operator's, or has the name of it in its own code, and does not look up there what it
   is given. All else of the interpreter's library asks for who calls it. */
static int looks_into_it(const walker *w) {
	static const char *const names[] = {"environ", "environb", "getenv", "getenvb", "get_exec_path", 0};
	if (ends(w->file, T("/os.py")) || equal(w->file, T("<frozen os>")) || called(w, T("_subst_vars"))) return 0;
	if (ends(w->file, T("/posixpath.py")) || ends(w->file, T("/ntpath.py")) || equal(w->file, T("<frozen posixpath>")) || equal(w->file, T("<frozen ntpath>")))
		return called(w, T("expanduser")); /* and not expandvars, or what is in it */
	int yes = operators(w);
	for (int i = 0; !yes && names[i]; i++) yes = asked(w, of(names[i]));
	return yes;
}

static int environ(text event) {
	walker w = innermost();
	while (w.who == RUNNER || w.who == IMPORTER || (w.who == LIBRARY && !looks_into_it(&w))) outwards(&w);
	enum who who = w.who;
	leave(&w);
	return who == PROGRAM || who == NOBODY ? stop(environment, event) : 0;
}
