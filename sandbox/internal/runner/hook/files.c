/* What is opened, listed or changed: the paths in arguments of events. */

/* inherited is what a class has under a name, or one above it, as it stands there: nobody
   is asked, so that no descriptor answers. Of a class that may answer by itself what it has,
   or by a key what that is compared with, nobody can tell (odd). */
static object *inherited(object *type, const char *name, int *odd) {
	object *above = PySequence_Tuple && PyMapping_GetItemString && is(type, PyType_Type) ? attribute(type, "__mro__") : 0, *found = 0;
	*odd |= !above;
	for (ssize i = 0; above && !*odd && !found && i < PyTuple_Size(above); i++) {
		object *c = PyTuple_GetItem(above, i), *own = is(c, PyType_Type) ? attribute(c, "__dict__") : 0, *keys = own ? PySequence_Tuple(own) : 0;
		*odd = !keys;
		for (ssize k = 0; keys && !*odd && k < PyTuple_Size(keys); k++) *odd = !is(PyTuple_GetItem(keys, k), PyUnicode_Type);
		if (!*odd) found = PyMapping_GetItemString(own, name);
		if (PyErr_Occurred()) PyErr_Clear();
		if (keys) Py_DecRef(keys);
		if (own) Py_DecRef(own);
	}
	if (above) Py_DecRef(above);
	return found;
}

/* of_pathlib says that a function is that method of the library's pathlib, which finds there
   what it looks for. */
static int of_pathlib(object *f, const char *name) {
	if (!f || !is(f, PyFunction_Type)) return 0;
	object *code = attribute(f, "__code__"), *names = attribute(f, "__globals__"), *held = 0, *called = code ? attribute(code, "co_name") : 0;
	text file = filename(code, &held), own;
	int yes = file.p && equal(string(called), of(name)) && interpreters(file, &own) && begins(own, T("pathlib")) && names && PyDict_GetItemString && !PyDict_GetItemString(names, "str");
	object *builtins = yes ? PyDict_GetItemString(names, "__builtins__") : 0;
	if (builtins && !is(builtins, PyDict_Type)) builtins = PyModule_GetDict(builtins);
	yes = yes && builtins && (char *)PyDict_GetItemString(builtins, "str") == PyUnicode_Type;
	if (PyErr_Occurred()) PyErr_Clear();
	if (called) Py_DecRef(called);
	if (held) Py_DecRef(held);
	if (names) Py_DecRef(names);
	if (code) Py_DecRef(code);
	return yes;
}

/* kept is the text that an object of the library's keeps of a path, and gives whenever it
   is asked for it: one of pathlib, or an entry of a directory. Nobody can tell what another
   one has given. The caller lets it go. */
static object *kept(object *o) {
	static const char *const asked[] = {"__fspath__", "__str__", "_str", "__getattribute__"};
	object *type = PyObject_Type(o), *found[4] = {0, 0, 0, 0}, *usual = 0, *path = 0;
	int odd = 0;
	if (type == settled->entry) path = attribute(o, "path");
	else {
		for (int i = 0; i < 4; i++) found[i] = inherited(type, asked[i], &odd);
		usual = inherited((object *)PyBaseObject_Type, asked[3], &odd);
		if (!odd && of_pathlib(found[0], asked[0]) && of_pathlib(found[1], asked[1]) && found[2] && is(found[2], PyMemberDescr_Type) && found[3] == usual && !(path = attribute(o, "_str"))) {
			object *first = PyObject_CallMethod(o, "__str__", 0); /* keeps it from now on; what that asks for is judged */
			if (first) Py_DecRef(first);
			else PyErr_Clear();
			path = attribute(o, "_str");
		}
		for (int i = 0; i < 4; i++) if (found[i]) Py_DecRef(found[i]);
		if (usual) Py_DecRef(usual);
	}
	Py_DecRef(type);
	return path;
}

/* descriptor says that an object can be nothing but the number of an open file. */
static int descriptor(object *o) {
	enum { LONG = 1 << 24 };
	if (is(o, PyLong_Type)) return 1;
	object *type = PyObject_Type(o), *path = 0;
	int odd = 0, yes = PyType_GetFlags && PyType_GetFlags(type) & LONG && !(path = inherited(type, "__fspath__", &odd)) && !odd;
	if (path) Py_DecRef(path);
	Py_DecRef(type);
	return yes;
}

/* spelled is the text of a str or bytes, of a class below them, too, which *held keeps. */
static text spelled(object *o, object **held) {
	ssize n = 0;
	char *p = (char *)PyUnicode_AsUTF8AndSize(o, &n);
	*held = p ? 0 : PyUnicode_EncodeFSDefault(o); /* with what is no text in it */
	if (PyErr_Occurred()) PyErr_Clear();
	if (!p && PyBytes_AsStringAndSize(*held ? *held : o, &p, &n)) p = 0;
	if (PyErr_Occurred()) PyErr_Clear();
	return (text){p, n};
}

/* address is the path in the URI of a database; no text where a name is none. */
static text address(text uri, char *room) {
	static const char hex[] = "0123456789abcdef";
	if (!begins(uri, T("file:"))) return (text){0, 0};
	text path = {uri.p + 5, uri.n - 5};
	if (begins(path, T("//"))) {
		path = (text){path.p + 2, path.n - 2};
		while (path.n && path.p[0] != '/') path.p++, path.n--;
	}
	usize n = 0;
	for (usize i = 0; i < path.n && n + 1 < LONGEST && path.p[i] != '?' && path.p[i] != '#'; i++) {
		int value = 0, digits = 0;
		for (; path.p[i] == '%' && digits < 2 && i + 1 + digits < path.n; digits++) {
			int h = 0;
			while (h < 16 && hex[h] != (path.p[i + 1 + digits] | 0x20)) h++;
			if (h == 16) break;
			value = 16 * value + h;
		}
		if (digits == 2 && !value) break; /* there it ends */
		room[n++] = digits == 2 ? value : path.p[i];
		if (digits == 2) i += 2;
	}
	return (text){room, n};
}

/* given is the text of what was given as a path, which held keeps; none where nobody can tell. */
static text given(object *o, object *held[2]) {
	held[0] = held[1] = 0;
	if ((char *)o == _Py_NoneStruct) return T(".");
	text path = spelled(o, &held[0]);
	if (!path.p && (held[1] = kept(o))) {
		if (held[0]) Py_DecRef(held[0]);
		path = spelled(held[1], &held[0]);
	}
	return path;
}
static void let_go(object *held[2]) {
	for (int i = 0; i < 2; i++) if (held[i]) Py_DecRef(held[i]);
}

/* from is the directory, among the arguments of an event, that a path begins in. */
static long from(object *args, int i) {
	object *o = i >= 0 ? arg(args, i) : 0;
	long fd = o && is(o, PyLong_Type) ? PyLong_AsLong(o) : -1;
	if (PyErr_Occurred()) PyErr_Clear();
	return fd < 0 ? CWD : fd;
}

/* to_write says that what is opened may be written to. What O_TMPFILE opens has no name. */
static int to_write(object *args) {
	enum { O_ACCMODE = 3, O_CREAT = 0100, O_TRUNC = 01000, O_TMPFILE = 020000000 };
	object *o = arg(args, 2);
	text mode = string(arg(args, 1));
	long flags = o && is(o, PyLong_Type) ? PyLong_AsLong(o) : 0;
	if (PyErr_Occurred()) PyErr_Clear();
	for (usize i = 0; i < mode.n; i++) if (mode.p[i] != 'r' && mode.p[i] != 'b' && mode.p[i] != 't' && mode.p[i] != 'U') return 1;
	return !(flags & O_TMPFILE) && flags & (O_ACCMODE | O_CREAT | O_TRUNC);
}

/* keeps judges the file of a database, which comes to be when it is asked for. SQLite leaves
   out .. and the directory before it, whether that is there or not, and what makes a path
   longer than the kernel takes it: where such a one comes to nobody can tell. */
static int keeps(text path) {
	char room[LONGEST];
	if (!path.n || equal(path, T(":memory:"))) return 0;
	if ((inside(path, T("..")) || path.n >= LONGEST) && !lies(CWD, path, 1, room).p) {
		if (settled->denied[filesystem_read]) return stop(filesystem_read, T("sqlite3.connect"));
		return settled->denied[filesystem_write] ? stop(filesystem_write, T("open.write")) : 0;
	}
	return changes(CWD, path, 1, T("open.write"));
}

static int stores(text path) {
	char room[LONGEST];
	text at = address(path, room);
	int result = at.p ? comes(CWD, at, T("sqlite3.connect")) : 0;
	if (at.p && !result) result = keeps(at);
	return result ? result : keeps(path);
}

/* opens judges what is opened or listed by a path. What is opened otherwise, or between
   our look and the program's, nobody tells of; of its own process's memory and environment
   the kernel refuses that (shut). */
static int opens(object *args, text event) {
	object *o = arg(args, 0), *held[2];
	int open = equal(event, T("open")), writing = open && to_write(args), result = 0;
	text told = open ? T("open.file") : event;
	if (!o || (!settled->denied[environment] && !settled->denied[native] && !settled->denied[filesystem_read] && !settled->denied[filesystem_write])) return 0;
	text path = given(o, held);
	if (!path.p) {
		if (descriptor(o)) result = 0;
		else if (settled->denied[filesystem_read]) result = stop(filesystem_read, told);
		else if (settled->denied[filesystem_write] && writing) result = stop(filesystem_write, T("open.write"));
	} else if (!writing && lent(path)) {
	} else if (equal(event, T("os.link")))
		result = comes(from(args, 2), path, told);
	else if (open && path.n && path.p[0] != '/' && (char *)arg(args, 1) == _Py_NoneStruct)
		result = reaches_below(path, writing, told);
	else
		result = reaches(CWD, path, writing, told);
	if (path.p && !result && equal(event, T("sqlite3.connect"))) result = stores(path);
	let_go(held);
	return result;
}

/* What is changed by a path: which argument of an event that is, and which one the directory
   that it begins in; whether it is what a link leads to. */
static const struct { const char *event; int path, from, follow; const char *told; } changing[] = {
	{"os.mkdir", 0, 2, 0, "os.mkdir"}, {"os.rename", 0, 2, 0, "os.rename"}, {"os.rename", 1, 3, 0, "os.rename"},
	{"os.remove", 0, 1, 0, "os.remove"}, {"os.rmdir", 0, 1, 0, "os.rmdir"}, {"os.link", 1, 3, 0, "os.link.made"},
	{"os.link", 0, 2, 1, "os.link.made"}, /* a file is written to by either name */
	{"socket.bind", 1, -1, 0, "socket.bind"},
	{"os.symlink", 1, 2, 0, "os.symlink"}, {"os.truncate", 0, -1, 1, "os.truncate"}, {"os.chmod", 0, 2, 1, "os.chmod"},
	{"os.chown", 0, 3, 1, "os.chown"}, {"os.utime", 0, 3, 1, "os.utime"}, {"os.setxattr", 0, -1, 1, "os.setxattr"},
	{"os.removexattr", 0, -1, 1, "os.removexattr"},
};

/* changes_open judges what is changed by a file that is open. */
static int changes_open(long fd, text event) {
	char link[40] = "/proc/self/fd/", room[LONGEST];
	if (PyErr_Occurred()) PyErr_Clear();
	if (fd < 0 || equal(event, T("os.truncate"))) return 0; /* that one is open for writing */
	text at = place(CWD, (text){link, 14 + number(fd, link + 14)}, room);
	return at.p && !ends(at, T(" (deleted)")) ? changed(at, event) : 0;
}

/* nameless says that an address of a socket is no path: a host and a port, or a name that is
   in no directory. */
static int nameless(object *o, text path) {
	enum { TUPLE = 1 << 26 };
	object *type = PyObject_Type(o);
	int yes = PyType_GetFlags && PyType_GetFlags(type) & TUPLE;
	Py_DecRef(type);
	return yes || (path.p && (!path.n || !path.p[0]));
}

/* alters judges what is changed otherwise than by opening it. */
static int alters(object *args, text event) {
	int result = 0;
	for (usize i = 0; settled->denied[filesystem_write] && !result && i < sizeof changing / sizeof *changing; i++) {
		object *o = equal(event, of(changing[i].event)) ? arg(args, changing[i].path) : 0, *held[2];
		if (!o) continue;
		text path = given(o, held), told = of(changing[i].told);
		if (equal(event, T("socket.bind")) && nameless(o, path)) result = 0;
		else if (path.p) result = changes(from(args, changing[i].from), path, changing[i].follow, told);
		else if (!descriptor(o)) result = stop(filesystem_write, told);
		else result = changes_open(PyLong_AsLong(o), told);
		let_go(held);
	}
	return result;
}
