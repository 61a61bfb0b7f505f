/* Who asks: the frames that led to an event. */

enum who { NOBODY, IMPORTER, LIBRARY, RUNNER, PROGRAM };

/* interpreters says that a file is of the interpreter's own library, and which one
   it is there. */
static int interpreters(text file, text *own) {
	if (!begins(file, settled->stdlib)) return 0;
	*own = (text){file.p + settled->stdlib.n, file.n - settled->stdlib.n};
	return !begins(*own, T("site-packages/")) && !begins(*own, T("dist-packages/"));
}

/* A walk over the frames from the innermost on. */
typedef struct { object *frame, *code, *name; enum who who; text file; } walker;

static enum who whose(text file) {
	if (begins(file, T("<frozen importlib"))) return IMPORTER;
	if (begins(file, T("<frozen "))) return LIBRARY;
	if (settled->runner.n && begins(file, settled->runner)) return RUNNER;
	for (usize i = 0; i < settled->nroots; i++) if (begins(file, settled->roots[i])) return LIBRARY;
	return PROGRAM;
}

static void look(walker *w) {
	w->code = w->name = 0;
	w->who = NOBODY;
	w->file = (text){0, 0};
	if (!w->frame) return;
	w->code = PyFrame_GetCode ? PyFrame_GetCode(w->frame) : attribute(w->frame, "f_code");
	w->name = w->code ? attribute(w->code, "co_filename") : 0;
	w->file = string(w->name);
	w->who = whose(w->file);
}
static void leave(walker *w) {
	if (w->name) Py_DecRef(w->name);
	if (w->code) Py_DecRef(w->code);
	if (w->frame) Py_DecRef(w->frame);
}
static walker innermost(void) {
	walker w = {PyEval_GetFrame(), 0, 0, NOBODY, {0, 0}};
	if (w.frame) Py_IncRef(w.frame);
	look(&w);
	return w;
}
static void outwards(walker *w) {
	walker out = {0, 0, 0, NOBODY, {0, 0}};
	if (w->frame && PyFrame_GetBack)
		out.frame = PyFrame_GetBack(w->frame);
	else if (w->frame) {
		out.frame = attribute(w->frame, "f_back");
		object *code = out.frame ? attribute(out.frame, "f_code") : 0;
		if (out.frame && !code) { /* None */
			Py_DecRef(out.frame);
			out.frame = 0;
		}
		if (code) Py_DecRef(code);
	}
	look(&out);
	leave(w);
	*w = out;
}

static int listed(const set *s, text file) {
	for (usize i = 0; i < s->cap; i++)
		if (s->at[i].p && ends(file, s->at[i])) return 1;
	return 0;
}

/* by_itself says that no program asks but a library: one that is being
   imported, or one of those in files. */
static int by_itself(const set *files) {
	int yes = 0;
	walker w = innermost();
	for (; !yes && (w.who == LIBRARY || w.who == IMPORTER); outwards(&w))
		yes = w.who == IMPORTER || (files && listed(files, w.file));
	leave(&w);
	return yes;
}

/* asker is whom a walk has come to, and ends it. */
static enum who asker(walker *w) {
	enum who who = w->who;
	leave(w);
	return who == NOBODY ? PROGRAM : who; /* a thread that begins in C */
}

static enum who asks(void) {
	walker w = innermost();
	return asker(&w);
}

/* among says that a text is one of a tuple. */
static int among(object *tuple, text name) {
	int yes = 0;
	for (ssize i = 0; !yes && i < PyTuple_Size(tuple); i++) yes = equal(string(PyTuple_GetItem(tuple, i)), name);
	return yes;
}

/* asked says that the code of a frame has a name. */
static int asked(const walker *w, text name) {
	object *names = w->code ? attribute(w->code, "co_names") : 0;
	int yes = names && among(names, name);
	if (names) Py_DecRef(names);
	return yes;
}

/* called says that the code of a frame has this name. */
static int called(const walker *w, text name) {
	object *own = w->code ? attribute(w->code, "co_name") : 0;
	int yes = equal(string(own), name);
	if (own) Py_DecRef(own);
	return yes;
}

/* operators says that a frame is of a library that does not come with the interpreter. */
static int operators(const walker *w) {
	text own;
	return w->who == LIBRARY && !begins(w->file, T("<")) && !interpreters(w->file, &own);
}

/* calls_its_own says that a library which has parts in C takes one of them by a name that
   stands in its own code, so that nobody else has chosen it, or calls one: 3.14 tells of
   that, too. */
static int calls_its_own(object *args, text event) {
	text name = string(arg(args, 1)), own;
	walker w = innermost();
	int calls = equal(event, T("ctypes.call_function"));
	while (w.who == LIBRARY && interpreters(w.file, &own) && begins(own, T("ctypes/"))) outwards(&w);
	int yes = operators(&w) && (calls || (equal(event, T("ctypes.dlsym")) && name.p && asked(&w, name)));
	leave(&w);
	return yes;
}

/* line is where the program was, 0 when nobody knows. */
static int line(void) {
	int n = 0;
	walker w = innermost();
	while (w.frame && !(w.who == PROGRAM && (ends(w.file, T("main.py")) || begins(w.file, T("cell-"))))) outwards(&w);
	if (w.frame) n = PyFrame_GetLineNumber(w.frame);
	leave(&w);
	return n;
}
