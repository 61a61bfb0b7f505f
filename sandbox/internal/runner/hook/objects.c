/* Objects of the interpreter. */

static int is(object *o, const char *type) {
	object *t = PyObject_Type(o);
	int same = (const char *)t == type;
	Py_DecRef(t);
	return same;
}

/* string is the text of a str, which must outlive it; no text for anything
   else, and for what is no Unicode. */
static text string(object *o) {
	ssize n = 0;
	const char *p = o && is(o, PyUnicode_Type) ? PyUnicode_AsUTF8AndSize(o, &n) : 0;
	if (!p) {
		if (PyErr_Occurred()) PyErr_Clear();
		return (text){0, 0};
	}
	return (text){p, n};
}

static text bytes(object *o) {
	char *p = 0;
	ssize n = 0;
	if (!o || !is(o, PyBytes_Type) || PyBytes_AsStringAndSize(o, &p, &n)) {
		if (PyErr_Occurred()) PyErr_Clear();
		return (text){0, 0};
	}
	return (text){p, n};
}

static object *arg(object *args, ssize i) { return i < PyTuple_Size(args) ? PyTuple_GetItem(args, i) : 0; }

static object *asking; /* whom we ask for an attribute, which may be an event. What else happens meanwhile, as in a finalizer, is the program's. */

static object *attribute(object *o, const char *name) {
	object *before = asking, *v = 0;
	asking = o;
	v = PyObject_GetAttrString(o, name);
	asking = before;
	if (!v) PyErr_Clear();
	return v;
}

/* local is a variable of a frame, which the caller lets go. */
static object *local(object *frame, const char *name) {
	object *all = frame && PyMapping_GetItemString ? attribute(frame, "f_locals") : 0;
	object *v = all ? PyMapping_GetItemString(all, name) : 0;
	if (!v) PyErr_Clear();
	if (all) Py_DecRef(all);
	return v;
}

static text filename(object *code, object **keep) {
	*keep = code && is(code, PyCode_Type) ? attribute(code, "co_filename") : 0;
	return string(*keep);
}

/* loaded is a module that has been imported, which nobody holds for the caller. */
static object *loaded(const char *name) {
	object *modules = PyImport_GetModuleDict ? PyImport_GetModuleDict() : 0;
	return modules && PyDict_GetItemString ? PyDict_GetItemString(modules, name) : 0;
}
