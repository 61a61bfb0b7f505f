/* The audit hook of PEP 578 that stops a Python program which does what policy
   denied although nobody saw it in the text.

   It is a shared object without a C library: the interpreter that loads it
   brings every function that is called here, or the hook does not load and the
   runner says so. It is added before the interpreter starts, so nothing that
   runs in the interpreter can take it out, and it keeps nothing where Python
   could reach it. It is not a boundary: native code is not subject to it.

   Until the runner has said what is granted ("sallyport.seal") everything
   passes: no program is there yet. */
typedef long ssize;
typedef unsigned long usize;
typedef struct object object;

#define WEAK __attribute__((weak))
extern int PySys_AddAuditHook(int (*)(const char *, object *, void *), void *) WEAK;
extern object *PyEval_GetFrame(void) WEAK;
extern object *PyFrame_GetBack(object *) WEAK; /* 3.9 */
extern object *PyFrame_GetCode(object *) WEAK; /* 3.9 */
extern int PyFrame_GetLineNumber(object *) WEAK;
extern object *PyObject_GetAttrString(object *, const char *) WEAK;
extern object *PyObject_Type(object *) WEAK;
extern object *PyTuple_GetItem(object *, ssize) WEAK;
extern ssize PyTuple_Size(object *) WEAK;
extern object *PySequence_Tuple(object *) WEAK;
extern const char *PyUnicode_AsUTF8AndSize(object *, ssize *) WEAK;
extern int PyBytes_AsStringAndSize(object *, char **, ssize *) WEAK;
extern long PyLong_AsLong(object *) WEAK;
extern unsigned long PyType_GetFlags(object *) WEAK;
extern void PyErr_Clear(void) WEAK;
extern object *PyErr_Occurred(void) WEAK;
extern void PyErr_SetString(object *, const char *) WEAK;
extern void PyErr_SetObject(object *, object *) WEAK;
extern object *PySys_GetObject(const char *) WEAK;
extern object *PyImport_GetModuleDict(void) WEAK;
extern object *PyImport_ImportModule(const char *) WEAK;
extern object *PyModule_GetDict(object *) WEAK;
extern object *PyDict_GetItemString(object *, const char *) WEAK;
extern object *PyMapping_GetItemString(object *, const char *) WEAK;
extern object *PyObject_CallFunction(object *, const char *, ...) WEAK;
extern object *PyObject_CallMethod(object *, const char *, const char *, ...) WEAK;
extern void *PyMem_RawCalloc(usize, usize) WEAK;
extern void PyMem_RawFree(void *) WEAK;
extern void Py_DecRef(object *) WEAK;
extern void Py_IncRef(object *) WEAK;
extern const char *getenv(const char *) WEAK;
extern object *PyExc_RuntimeError WEAK, *PyExc_PermissionError WEAK;
extern object *PyUnicode_EncodeFSDefault(object *) WEAK;
extern char _Py_NoneStruct[] WEAK, PyBaseObject_Type[] WEAK, PyType_Type[] WEAK, PyMemberDescr_Type[] WEAK, PyGetSetDescr_Type[] WEAK, PyMethodDescr_Type[] WEAK, PyModule_Type[] WEAK, PyFrame_Type[] WEAK, PyFunction_Type[] WEAK, PyCFunction_Type[] WEAK, PyCode_Type[] WEAK, PyUnicode_Type[] WEAK, PyTuple_Type[] WEAK, PyBytes_Type[] WEAK, PyDict_Type[] WEAK, PyLong_Type[] WEAK, PyFrozenSet_Type[] WEAK;

/* ---- the kernel ---- */

#if defined __x86_64__
enum { SYS_read = 0, SYS_write = 1, SYS_close = 3, SYS_openat = 257, SYS_sigaction = 13, SYS_sigprocmask = 14, SYS_getpid = 39, SYS_gettid = 186, SYS_tgkill = 234, SYS_exit_group = 231, SYS_mprotect = 10, SYS_prctl = 157, SYS_readlinkat = 267, SYS_getdents64 = 217, SYS_getrandom = 318 };
static long call(long n, long a, long b, long c, long d) {
	long r;
	register long r10 __asm__("r10") = d;
	__asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
	return r;
}
#elif defined __aarch64__
enum { SYS_read = 63, SYS_write = 64, SYS_close = 57, SYS_openat = 56, SYS_sigaction = 134, SYS_sigprocmask = 135, SYS_getpid = 172, SYS_gettid = 178, SYS_tgkill = 131, SYS_exit_group = 94, SYS_mprotect = 226, SYS_prctl = 167, SYS_readlinkat = 78, SYS_getdents64 = 61, SYS_getrandom = 278 };
static long call(long n, long a, long b, long c, long d) {
	register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c, x3 __asm__("x3") = d;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}
#else
#error no system calls are known for this architecture
#endif

enum { PROT_READ = 1, PROT_WRITE = 2, SIGSYS = 31, SIG_UNBLOCK = 1, REPORT = 102 };

/* die ends the process by a signal that no program can catch any more and
   that nothing else sends here: who lost the report still knows the reason. */
static _Noreturn void die(void) {
	unsigned long none[4] = {0}, sys = 1ul << (SIGSYS - 1);
	call(SYS_sigaction, SIGSYS, (long)none, 0, 8);
	call(SYS_sigprocmask, SIG_UNBLOCK, (long)&sys, 0, 8);
	/* To this thread: another one might be too slow to die of it. */
	call(SYS_tgkill, call(SYS_getpid, 0, 0, 0, 0), call(SYS_gettid, 0, 0, 0, 0), SIGSYS, 0);
	for (;;)
		call(SYS_exit_group, 128 + SIGSYS, 0, 0, 0);
}

/* ---- text ---- */

typedef struct { const char *p; usize n; } text;
#define T(s) ((text){s, sizeof s - 1})

static usize length(const char *s) { usize n = 0; while (s[n]) n++; return n; }
static text of(const char *s) { return (text){s, length(s)}; }
static int equal(text a, text b) {
	if (a.n != b.n) return 0;
	for (usize i = 0; i < a.n; i++) if (a.p[i] != b.p[i]) return 0;
	return 1;
}
static int begins(text a, text b) { return a.n >= b.n && equal((text){a.p, b.n}, b); }
static int ends(text a, text b) { return a.n >= b.n && equal((text){a.p + a.n - b.n, b.n}, b); }
static int inside(text a, text b) {
	for (; a.n >= b.n; a.p++, a.n--) if (begins(a, b)) return 1;
	return 0;
}
static int letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80; }
static int digit(char c) { return c >= '0' && c <= '9'; }

/* cut takes what comes before the first sep off the front of t. */
static text cut(text *t, char sep) {
	usize n = 0;
	while (n < t->n && t->p[n] != sep) n++;
	text head = {t->p, n};
	usize skip = n < t->n ? n + 1 : n;
	t->p += skip;
	t->n -= skip;
	return head;
}

static void *get(usize n) {
	void *p = PyMem_RawCalloc(n ? n : 1, 1);
	if (!p) die();
	return p;
}

static text copy(text t) {
	char *p = get(t.n);
	for (usize i = 0; i < t.n; i++) p[i] = t.p[i];
	return (text){p, t.n};
}

/* A set of words. It does not own them. */
typedef struct { text *at; usize cap, n; } set;

static usize hash(text t) {
	usize h = 14695981039346656037ul;
	for (usize i = 0; i < t.n; i++) h = (h ^ (unsigned char)t.p[i]) * 1099511628211ul;
	return h ^ h >> 29;
}
static int has(const set *s, text t) {
	if (!s->cap) return 0;
	for (usize i = hash(t);; i++) {
		text *e = &s->at[i & (s->cap - 1)];
		if (!e->p) return 0;
		if (equal(*e, t)) return 1;
	}
}
static void add(set *s, text t) {
	if (has(s, t)) return;
	if (2 * s->n >= s->cap) {
		set wider = {get((s->cap ? 4 * s->cap : 1024) * sizeof(text)), s->cap ? 4 * s->cap : 1024, 0};
		for (usize i = 0; i < s->cap; i++) if (s->at[i].p) add(&wider, s->at[i]);
		*s = wider; /* the old one is not worth its freeing */
	}
	usize i = hash(t);
	while (s->at[i & (s->cap - 1)].p) i++;
	s->at[i & (s->cap - 1)] = t;
	s->n++;
}
static void add_lines(set *s, text t) { while (t.n) add(s, cut(&t, '\n')); }

/* ---- events ---- */

enum capability { process, network, native, deserialize, introspection, code_eval, code_load, environment, filesystem_read, filesystem_write, signals, CAPABILITIES };
static const char *const capability_names[] = {"process", "network", "native", "deserialize", "introspection", "code.eval", "code.load", "environment", "filesystem.read", "filesystem.write", "signals"};

static const struct { const char *name, *capability; } events[] = {
#define PYTHON(name, capability) {name, #capability},
#define JAVASCRIPT(name, capability)
#include "events.def"
};
#define EVENTS (sizeof events / sizeof *events)

/* What is settled before there is a program: pages of their own, which are only read from
   then on, and are found by where this object is and not by a pointer. No page of a kernel
   is larger than PAGE. */
enum { PAGE = 1 << 16, SETTLED = 3 * PAGE, ROOTS = 64, SEEN = 2048, HARMLESS = 16 };

struct settled {
	int sealed, observe, session;
	int denied[CAPABILITIES];
	set lifted; /* events of what is denied that are let through all the same */
	text roots[ROOTS]; /* directories of the interpreter's own code, with a slash */
	usize nroots;
	text places[ROOTS]; /* others of the interpreter and the system, that no program writes to */
	usize nplaces;
	text written[ROOTS]; /* where the program can write */
	usize nwritten;
	text seen[SEEN]; /* files and directories that the text of the program names; * stands for what is not known */
	usize nseen;
	text writes[SEEN]; /* how paths begin that it may write to */
	usize nwrites;
	text harmless[HARMLESS]; /* files that libraries look at by themselves, and that every program may read */
	usize nharmless;
	object *entry; /* os.DirEntry */
	text stdlib, runner;
	char key[16]; /* by which our reports are known */
	set probes; /* files that try a denied thing by themselves and do without */
	set never;  /* names that no text may bring */
	struct { text name; enum capability capability; } table[256]; /* open addressing by hash; more than twice EVENTS */
	char texts[PAGE]; /* of places */
	usize ntexts, first; /* first: those that do not change from one cell of a session to the next */
};
_Static_assert(sizeof(struct settled) <= SETTLED, "does not fit");
static char pages[SETTLED + PAGE];
#define settled ((struct settled *)(((usize)pages + PAGE - 1) & ~(usize)(PAGE - 1)))

/* keep copies a text to what is settled. What finds no room there is no text. */
static text keep(text t) {
	if (t.n > PAGE - settled->ntexts) return (text){0, 0};
	char *p = settled->texts + settled->ntexts;
	for (usize i = 0; i < t.n; i++) p[i] = t.p[i];
	settled->ntexts += t.n;
	return (text){p, t.n};
}

static void keep_in(text *list, usize *n, usize most, text t) {
	t = keep(t);
	if (t.n && *n < most) list[(*n)++] = t;
}

static void seal(long how) {
	if (call(SYS_mprotect, (long)settled, SETTLED, how, 0)) die();
}

static int find(text name) {
	for (usize i = hash(name);; i++) {
		if (!settled->table[i & 255].name.p) return -1;
		if (equal(settled->table[i & 255].name, name)) return i & 255;
	}
}

/* ---- what the runner said ---- */

enum { MAKERS = 64, FILES = 64 };

/* What code of a maker may be made of besides its own templates: those in files of
   libraries alone, or what stands in texts of the program. */
enum { TEMPLATE = '@', FORMULA = '=' };

static struct {
	int begun, started, ending; /* begun: some code of a program may run; started: that of one which is no session */
	struct { text file; char kind; set names; text patterns[32]; int npatterns, exact; } makers[MAKERS]; /* files that make code, and the names that their templates bring */
	usize nmakers;
	set said;    /* words of the program's texts */
	set known;   /* identifiers that the analysis knows */
	struct { text path, data; int read; } files[FILES]; /* what was judged with the program */
	usize nfiles;
	set told;    /* events that were reported and did not end the run */
	set loaded;  /* files of modules that have been loaded */
	object *streams[2]; /* the interpreter's own; not held, because what is held is not flushed at the end */
} say;
static const char *const streams[2] = {"__stdout__", "__stderr__"};

/* ---- objects ---- */

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

/* ---- who asks ---- */

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

/* ---- stopping ---- */

static usize put(char *to, usize at, text t) {
	for (usize i = 0; i < t.n && at < 120; i++) to[at++] = t.p[i];
	return at;
}

/* tell writes to where the program could write, too: it may have that not wait. */
static void tell(const char *p, usize n) {
	enum { EINTR = 4, EAGAIN = 11 };
	long r;
	do r = call(SYS_write, REPORT, (long)p, n, 0); while (r == -EINTR || r == -EAGAIN);
}

/* introduce makes the key, and gives it to the host while nobody else can write. */
static void introduce(void) {
	enum { KEY = sizeof settled->key };
	char first[5 + KEY] = {'k', 0, 0, 0, KEY};
	if (call(SYS_getrandom, (long)settled->key, KEY, 0, 0) != KEY) die();
	settled->key[0] = (char)0xff; /* which is in no text */
	for (int i = 0; i < KEY; i++) first[5 + i] = settled->key[i];
	tell(first, sizeof first);
}

static void report(enum capability c, text event, char tag) {
	enum { KEY = sizeof settled->key };
	char whole[KEY + 128], *body = whole + KEY;
	for (int i = 0; i < KEY; i++) whole[i] = settled->key[i];
	usize n = put(body, 5, of(capability_names[c]));
	n = put(body, n, T(" "));
	n = put(body, n, event);
	n = put(body, n, T(" "));
	char digits[12];
	int at = 12, l = line();
	do digits[--at] = '0' + l % 10; while ((l /= 10) > 0 && at > 0);
	n = put(body, n, (text){digits + at, 12 - at});
	body[0] = tag;
	body[1] = body[2] = 0;
	body[3] = (n - 5) >> 8;
	body[4] = (n - 5) & 255;
	tell(whole, KEY + n);
}

/* stop ends the run, once what the program has printed is out. */
static int stop(enum capability c, text event) {
	if (has(&settled->lifted, event)) return 0;
	if (settled->observe) {
		if (!has(&say.told, event)) {
			add(&say.told, copy(event));
			report(c, event, 'v');
		}
		return 0;
	}
	report(c, event, 's');
	say.ending = 1;
	for (int i = 0; i < 2; i++) {
		object *own = say.streams[i] == PySys_GetObject(streams[i]) ? say.streams[i] : 0;
		object *r = own ? PyObject_CallMethod(own, "flush", 0) : 0;
		if (!r) PyErr_Clear();
	}
	die();
}

/* refuse answers a library as the kernel would, which then sees nothing that
   could be the program's. */
static int refuse(enum capability c, text event) {
	if (has(&settled->lifted, event)) return 0;
	if (!has(&say.told, event)) {
		add(&say.told, copy(event));
		report(c, event, 'w');
	}
	object *e = PyObject_CallFunction(PyExc_PermissionError, "is", 1, "Operation not permitted"); /* EPERM */
	if (!e) return -1;
	PyErr_SetObject(PyExc_PermissionError, e);
	Py_DecRef(e);
	return -1;
}

/* ---- code ---- */

static const char *const generated[] = {
	"__class__", "__classcell__", "__classdict__", "__module__", "__name__", "__qualname__", "__doc__", "__annotations__",
	"__conditional_annotations__", "__annotate__", "__annotate_func__", "__firstlineno__", "__static_attributes__", "__type_params__",
	"AssertionError", "NotImplementedError", "super", "format", 0,
};

/* brings says that a maker's template brings a name. */
static int brings(int m, text name) {
	if (m < 0) return 0;
	if (say.makers[m].kind == FORMULA && has(&say.said, name)) return 1;
	if (has(&say.makers[m].names, name)) return 1;
	for (int i = 0; i < say.makers[m].npatterns; i++) {
		text tail = say.makers[m].patterns[i], head = cut(&tail, '*');
		if (name.n > head.n + tail.n && begins(name, head) && ends(name, tail)) return 1;
	}
	return 0;
}

/* accounted says that a code object, and all in it, asks for no name but those
   that the analysis or its maker knows. What only names a parameter or a local
   reaches nothing. */
static int accounted(object *code, int maker, int depth) {
	if (depth > 50) return 0;
	int fine = 1;
	object *names = attribute(code, "co_names");
	for (ssize i = 0; names && fine && i < PyTuple_Size(names); i++) {
		text all = string(PyTuple_GetItem(names, i));
		if (!all.p) fine = 0;
		while (fine && all.n) {
			text name = cut(&all, '.');
			fine = !name.n || has(&say.known, name) || brings(maker, name);
			for (int g = 0; !fine && generated[g]; g++) fine = equal(name, of(generated[g]));
		}
	}
	if (!names) fine = 0;
	else Py_DecRef(names);
	object *consts = fine ? attribute(code, "co_consts") : 0;
	for (ssize i = 0; consts && fine && i < PyTuple_Size(consts); i++) {
		object *c = PyTuple_GetItem(consts, i);
		if (is(c, PyCode_Type)) fine = accounted(c, maker, depth + 1);
	}
	if (consts) Py_DecRef(consts);
	return fine;
}

/* has_one_name says that code has one name, and none that leads to others: it looks
   that up among what the program gave, or calls it, and comes to nothing else. */
static int has_one_name(object *code) {
	object *names = attribute(code, "co_names"), *consts = attribute(code, "co_consts");
	text name = names && PyTuple_Size(names) == 1 ? string(PyTuple_GetItem(names, 0)) : (text){0, 0};
	int yes = name.n && !has(&settled->never, name) && !begins(name, T("__")) && consts;
	for (ssize i = 0; yes && i < PyTuple_Size(consts); i++) yes = !is(PyTuple_GetItem(consts, i), PyCode_Type);
	if (names) Py_DecRef(names);
	if (consts) Py_DecRef(consts);
	return yes;
}

static void add_words(set *s, text t) {
	for (usize i = 0; i < t.n;) {
		usize n = i;
		while (n < t.n && (letter(t.p[n]) || (n > i && digit(t.p[n])))) n++;
		text word = {t.p + i, n - i};
		if (word.n && !has(&settled->never, word) && !begins(word, T("__"))) add(s, word);
		i = n > i ? n : n + 1;
	}
}

/* plain says that a text can be a list of names or an annotation: it calls
   nothing. */
static int plain(text t) {
	for (usize i = 0; i < t.n; i++) {
		char c = t.p[i];
		if (!letter(c) && !digit(c) && c != ' ' && c != ',' && c != '.' && c != '[' && c != ']' && c != '|' && c != '\'' && c != '"' && c != '\n') return 0;
	}
	return t.n > 0 && t.n < 4096;
}

/* learn adds to what is known the names that a program has in texts. */
static void learn(object *code, int depth) {
	object *consts = depth < 50 ? attribute(code, "co_consts") : 0;
	for (ssize i = 0; consts && i < PyTuple_Size(consts); i++) {
		object *c = PyTuple_GetItem(consts, i);
		if (is(c, PyCode_Type)) {
			learn(c, depth + 1);
			continue;
		}
		ssize n = is(c, PyTuple_Type) ? PyTuple_Size(c) : -1;
		for (ssize k = n < 0 ? -1 : 0; k < n || k == -1; k++) {
			text t = string(k < 0 ? c : PyTuple_GetItem(c, k));
			if (t.n > 0 && t.n < 4096) {
				text own = copy(t);
				add_words(&say.said, own);
				if (plain(t)) add_words(&say.known, own);
			}
			if (k == -1) break;
		}
	}
	if (consts) Py_DecRef(consts);
	if (PyErr_Occurred()) PyErr_Clear();
}

static text filename(object *code, object **keep) {
	*keep = code && is(code, PyCode_Type) ? attribute(code, "co_filename") : 0;
	return string(*keep);
}

/* judged finds what was judged under this path. */
static int judged(text path) {
	for (usize i = 0; i < say.nfiles; i++)
		if (equal(path, say.files[i].path)) return i;
	return -1;
}

enum { MOST = 1 << 20 }; /* bytes of a source */

enum { LONGEST = 4096, O_CLOEXEC = 02000000, O_PATH = 010000000 };

enum { CWD = -100 }; /* in place of a directory that is open: the one that the program is in */

static long open_file(long from, text file, long flags) {
	char path[LONGEST];
	if (file.n >= sizeof path) return -1;
	for (usize i = 0; i < file.n; i++) path[i] = file.p[i];
	path[file.n] = 0;
	return call(SYS_openat, from, (long)path, flags, 0);
}

/* number writes n, and returns how many digits that took. */
static usize number(long n, char *to) {
	char digits[20];
	usize at = 20, end = 0;
	do digits[--at] = '0' + n % 10; while ((n /= 10) > 0 && at > 0);
	while (at < 20) to[end++] = digits[at++];
	return end;
}

/* contents reads a file into *to, which it makes room for once there is something to
   read; -1 says that there is nothing. */
static ssize contents(text file, char **to) {
	long fd = open_file(CWD, file, O_CLOEXEC);
	if (fd < 0) return -1;
	char *room = *to ? *to : get(MOST);
	usize n = 0;
	long r;
	while (n < MOST && (r = call(SYS_read, fd, (long)room + n, MOST - n, 0)) > 0) n += r;
	call(SYS_close, fd, 0, 0, 0);
	if (!n && !*to) {
		PyMem_RawFree(room);
		return -1;
	}
	*to = room;
	return n;
}

/* maker finds what is known of a library that makes code: its templates. Of one
   that does not belong to the interpreter, and of which nobody has made a
   list, every word of its source may be in one. */
static int maker(text file) {
	for (usize i = 0; i < say.nmakers; i++)
		if (say.makers[i].exact ? equal(file, say.makers[i].file) : ends(file, say.makers[i].file)) return i;
	text own;
	if (begins(file, T("<")) || say.nmakers == MAKERS || interpreters(file, &own)) return -1;
	char *source = 0;
	ssize n = contents(file, &source);
	if (n < 0) return -1;
	int m = say.nmakers++;
	say.makers[m].exact = 1;
	say.makers[m].file = copy(file);
	add_words(&say.makers[m].names, (text){source, n});
	return m;
}

/* local is a variable of a frame, which the caller lets go. */
static object *local(object *frame, const char *name) {
	object *all = frame && PyMapping_GetItemString ? attribute(frame, "f_locals") : 0;
	object *v = all ? PyMapping_GetItemString(all, name) : 0;
	if (!v) PyErr_Clear();
	if (all) Py_DecRef(all);
	return v;
}

/* ---- annotations of libraries ---- */

/* skip says that a sign does not count where texts of annotations are held
   against each other: how they are quoted and broken into lines. */
static int skipped(text t, usize i) {
	char c = t.p[i];
	if (c != ',') return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\'' || c == '"';
	do i++; while (i < t.n && (t.p[i] == ' ' || t.p[i] == '\t' || t.p[i] == '\n' || t.p[i] == '\r'));
	return i < t.n && t.p[i] == ']';
}

/* stands says that an annotation stands in a source: behind a colon, an arrow
   or a quotation mark, and nothing goes on with it. */
static int stands(text source, text annotation) {
	for (usize from = 1; from < source.n; from++) {
		usize before = from - 1;
		while (before > 0 && source.p[before] == ' ') before--;
		char c = source.p[before];
		if (skipped(source, from) || !(c == ':' || (c == '>' && before > 0 && source.p[before - 1] == '-') || c == '\'' || c == '"')) continue;
		usize i = from, k = 0;
		for (; i < source.n; i++) {
			while (k < annotation.n && skipped(annotation, k)) k++;
			if (k == annotation.n) break;
			if (skipped(source, i)) continue;
			if (source.p[i] != annotation.p[k]) break;
			k++;
		}
		while (k < annotation.n && skipped(annotation, k)) k++;
		while (i < source.n && source.p[i] == ' ') i++;
		if (k == annotation.n && (i == source.n || !(letter(source.p[i]) || digit(source.p[i]) || source.p[i] == '.' || source.p[i] == '[' || source.p[i] == '('))) return 1;
	}
	return 0;
}

/* mentions says that a text that is nothing but an annotation has a name. */
static int mentions(text t, text name) {
	for (usize i = 0; i < t.n;) {
		usize n = i;
		while (n < t.n && (letter(t.p[n]) || (n > i && digit(t.p[n])))) n++;
		if (equal((text){t.p + i, n - i}, name)) return 1;
		i = n > i ? n : n + 1;
	}
	return 0;
}

/* loaded is a module that has been imported, which nobody holds for the caller. */
static object *loaded(const char *name) {
	object *modules = PyImport_GetModuleDict ? PyImport_GetModuleDict() : 0;
	return modules && PyDict_GetItemString ? PyDict_GetItemString(modules, name) : 0;
}

/* home is the file of the library whose module a namespace is, which nobody can
   make up: the importer has it under the name that it gives itself. */
static text home(object *names) {
	text none = {0, 0};
	if (!names || !is(names, PyDict_Type)) return none;
	object *name = PyDict_GetItemString(names, "__name__"), *file = PyDict_GetItemString(names, "__file__");
	text key = string(name), path = string(file);
	object *module = key.p && length(key.p) == key.n ? loaded(key.p) : 0;
	object *own = module ? PyModule_GetDict(module) : 0;
	if (PyErr_Occurred()) PyErr_Clear();
	int fine = own == names && path.p && !begins(path, T("<")) && whose(path) == LIBRARY && !inside(path, T("/../"));
	return fine ? path : none;
}

/* annotates says that typing evaluates an annotation that stands in the source
   of a library, among the names of that library: it calls nothing, and has no
   name with which everything else is reached. */
static int annotates(walker *w, object *code) {
	static char *source;
	static text file;
	static usize n;
	if (!PyMapping_GetItemString || !PyDict_GetItemString || !PyImport_GetModuleDict || !PyModule_GetDict) return 0;
	text by;
	if (!interpreters(w->file, &by)) return 0;
	object *held[4] = {local(w->frame, "self"), 0, 0, 0};
	if (equal(by, T("typing.py"))) {
		held[1] = local(w->frame, "globalns");
		held[2] = local(w->frame, "localns");
	} else if (equal(by, T("annotationlib.py"))) { /* of 3.14: it has changed what typing gave it */
		walker asks = {PyFrame_GetBack(w->frame), 0, 0, NOBODY, {0, 0}};
		look(&asks);
		if (interpreters(asks.file, &by) && equal(by, T("typing.py"))) {
			held[1] = local(asks.frame, "globals");
			held[2] = local(asks.frame, "locals");
		}
		leave(&asks);
	}
	if (held[0]) held[3] = attribute(held[0], "__forward_arg__");
	text annotation = string(held[3]), own = home(held[1]);
	if (!own.p) own = home(held[2]);
	int fine = plain(annotation) && own.p;
	for (usize i = 0; fine && i < annotation.n;) {
		usize end = i;
		while (end < annotation.n && (letter(annotation.p[end]) || (end > i && digit(annotation.p[end])))) end++;
		text word = {annotation.p + i, end - i};
		fine = !word.n || !(has(&settled->never, word) || begins(word, T("__")));
		i = end > i ? end : end + 1;
	}
	object *asked = fine ? attribute(code, "co_names") : 0, *consts = fine ? attribute(code, "co_consts") : 0;
	fine = asked && consts;
	for (ssize i = 0; fine && i < PyTuple_Size(asked); i++) fine = mentions(annotation, string(PyTuple_GetItem(asked, i)));
	for (ssize i = 0; fine && i < PyTuple_Size(consts); i++) fine = !is(PyTuple_GetItem(consts, i), PyCode_Type);
	if (fine && !equal(own, file)) {
		ssize read = contents(own, &source);
		n = read < 0 ? 0 : read;
		file = copy(own);
	}
	fine = fine && stands((text){source, n}, annotation);
	for (int i = 0; i < 4; i++) if (held[i]) Py_DecRef(held[i]);
	if (asked) Py_DecRef(asked);
	if (consts) Py_DecRef(consts);
	return fine;
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

/* called says that the code of a frame has this name. */
static int called(const walker *w, text name) {
	object *own = w->code ? attribute(w->code, "co_name") : 0;
	int yes = equal(string(own), name);
	if (own) Py_DecRef(own);
	return yes;
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
	fine = fine || (top.n && has(&say.known, top));
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

/* place is where the kernel comes to by a path, in room: through links, from a directory
   that is open, and by whatever spelling. */
static text place(long from, text path, char *room) {
	long fd = open_file(from, path, O_CLOEXEC | O_PATH);
	if (fd < 0) return (text){0, 0};
	char link[40] = "/proc/self/fd/";
	link[14 + number(fd, link + 14)] = 0;
	long n = call(SYS_readlinkat, CWD, (long)link, (long)room, LONGEST);
	call(SYS_close, fd, 0, 0, 0);
	return n < 0 ? (text){0, 0} : (text){room, n};
}

/* covers says that a path is a place, or below it. */
static int covers(text place, text path) {
	if (place.n && place.p[place.n - 1] == '*') return begins(path, (text){place.p, place.n - 1});
	while (place.n && place.p[place.n - 1] == '/') place.n--;
	return begins(path, place) && (path.n == place.n || path.p[place.n] == '/');
}
static int covered(const text *places, usize n, text path) {
	for (usize i = 0; i < n; i++) if (covers(places[i], path)) return 1;
	return 0;
}

/* systems says that a path lies in a place of the interpreter's or the system's. */
static int systems(text path) {
	return covered(settled->roots, settled->nroots, path) || covered(settled->places, settled->nplaces, path) || (settled->runner.n && covers(settled->runner, path));
}

/* reads_for is what has a frame of the importer read what it has found for a module, where
   modules are: how it is called; no text where it reads something else. */
static text reads_for(const walker *w, text path, text at) {
	text none = {0, 0}, by = none;
	if (w->who != IMPORTER || !covered(settled->roots, settled->nroots, at)) return none;
	if (called(w, T("get_data"))) by = ends(at, T(".pyc")) || ends(at, T(".py")) ? T("exec_module") : none;
	else if (called(w, T("_fill_cache"))) by = T("_find_spec");
	object *own = by.n ? local(w->frame, "path") : 0;
	int yes = equal(string(own), path);
	if (own) Py_DecRef(own);
	return yes ? by : none;
}

/* lends says whether who asks may have what comes with the interpreter and with libraries:
   the importer for a module that somebody imports, a library of the operator's, and for
   zoneinfo the zones of time, of a library or the system's, which it lists. All else of the
   interpreter's own library, and of the runner, reads for who calls it; what nobody is seen
   to call may be for the program. The path, as it is spelled, leads to at. */
static int lends(text path, text at) {
	text own;
	walker w = innermost();
	text by = reads_for(&w, path, at);
	int yes = 0, zone = inside(at, T("/tzdata/zoneinfo/")) || covers(T("/usr/share/zoneinfo"), at);
	for (; !yes && w.frame && w.who != PROGRAM; outwards(&w)) {
		if (w.who == LIBRARY) {
			yes = operators(&w) || (zone && interpreters(w.file, &own) && begins(own, T("zoneinfo/")));
			by = (text){0, 0};
		} else
			yes = by.n && called(&w, by);
	}
	leave(&w);
	return yes;
}

/* lent says that a path, as it is spelled, leads to what no program can have written,
   because links there are the operator's, and that it may be read: it is lent, or the
   source of a module that has been loaded, of which the interpreter shows lines. */
static int lent(text path) {
	return !inside(path, T("/..")) && systems(path) && (!settled->denied[filesystem_read] || has(&say.loaded, path) || lends(path, path));
}

/* named says that one of places is where a path has come to, or a link that leads there, which
   the program cannot have made: where it can write is named by nothing in a list. */
static int named(const text *places, usize n, text path) {
	char self[LONGEST + 16] = "/proc/self/", room[LONGEST];
	if (covered(places, n, path)) return 1;
	if (begins(path, T("/proc/"))) { /* what is this process to it has a number by now */
		char own[20];
		text rest = {path.p + 6, path.n - 6}, pid = {own, number(call(SYS_getpid, 0, 0, 0, 0), own)};
		if (!equal(cut(&rest, '/'), pid)) return 0;
		for (usize i = 0; i < rest.n; i++) self[11 + i] = rest.p[i];
		return covered(places, n, (text){self, 11 + rest.n});
	}
	for (usize i = 0; i < n; i++) {
		if (begins(places[i], T("/proc/")) || begins(places[i], T("/dev/"))) continue; /* a program can lead these anywhere */
		text at = place(CWD, places[i], room);
		if (at.p && covers(at, path)) return 1;
	}
	return 0;
}

/* lists says that a path is a directory, of which a program can have the names. */
static int lists(text path) {
	long fd = open_file(CWD, path, O_CLOEXEC | O_PATH), own = open_file(fd, T("."), O_CLOEXEC | O_PATH);
	if (fd >= 0) call(SYS_close, fd, 0, 0, 0);
	if (own >= 0) call(SYS_close, own, 0, 0, 0);
	return own >= 0;
}

/* seen says that the text of the program names where a path has come to, or that it is a file
   that everybody may read. */
static int seen(text path) {
	return named(settled->seen, settled->nseen, path) || (named(settled->harmless, settled->nharmless, path) && !lists(path));
}

/* readable says that the program may read what a path, as it was spelled, has come to. */
static int readable(text path, text spelling) {
	if (!path.n || path.p[0] != '/') return begins(path, T("pipe:")) || begins(path, T("socket:")) || begins(path, T("anon_inode:")) || begins(path, T("host:"));
	return begins(path, T("/memfd:")) || covered(settled->written, settled->nwritten, path) || (systems(path) && lends(spelling, path)) || seen(path);
}

/* fits says that a path begins as a pattern does, or ends with it, too; * stands for any signs but slashes.
   Each piece between stars is taken where it stands first: another one further on fits no more than that. */
static int fits(text pattern, text path, int whole) {
	for (int first = 1;; first = 0) {
		usize left = pattern.n;
		text piece = cut(&pattern, '*');
		int last = piece.n == left;
		while (!begins(path, piece) || (last && whole && path.n != piece.n)) {
			if (first || !path.n || path.p[0] == '/') return 0;
			path.p++, path.n--;
		}
		if (last) return 1;
		path.p += piece.n, path.n -= piece.n;
	}
}

/* writes says that the text of the program names what it writes to, or, of a directory that
   it makes or of an empty one that it takes away, what is to lie there. */
static int writes(text path, int directory) {
	for (usize i = 0; i < settled->nwrites; i++) {
		text name = settled->writes[i];
		if (fits(name, path, 0)) return 1;
		for (usize n = 1; directory && n < name.n; n++) if (name.p[n] == '/' && fits((text){name.p, n}, path, 1)) return 1;
	}
	return 0;
}

/* scribbles says that a library of the operator's asks, or tempfile, which tries out where it
   can write, or the runner that puts a file of a cell in its place. */
static int scribbles(int aside) {
	int yes = 0, puts = 0;
	walker w = innermost();
	for (; !yes && w.frame && w.who != PROGRAM; outwards(&w))
		if (w.who == RUNNER) puts |= called(&w, T("put"));
		else yes = aside && (operators(&w) || (w.who == LIBRARY && called(&w, T("_get_default_tempdir"))));
	yes |= puts && !w.frame; /* and no program has it put there */
	leave(&w);
	return yes;
}

/* lies is where a path is, or comes to be when something is made there: a link leads on also
   to where nothing is. No text where nothing can be made. */
static text lies(long from, text path, int follow, char *room) {
	char link[LONGEST];
	for (int links = 0;; links++) {
		while (path.n > 1 && path.p[path.n - 1] == '/') path.n--, follow = 1;
		usize n = path.n, dir;
		while (n && path.p[n - 1] != '/') n--;
		text name = {path.p + n, path.n - n}, none = {0, 0}, at;
		int itself = !name.n || equal(name, T(".")) || equal(name, T(".."));
		if (follow || itself) {
			at = place(from, path, room);
			if (at.p || itself) return at;
		}
		at = place(from, n ? (text){path.p, n} : T("."), room);
		if (!at.p || at.n + 1 + name.n >= LONGEST) return none;
		if (!ends(at, T("/"))) room[at.n++] = '/';
		dir = at.n;
		for (usize i = 0; i < name.n; i++) room[at.n++] = name.p[i];
		room[at.n] = 0;
		long to = follow && links < 40 ? call(SYS_readlinkat, CWD, (long)room, (long)link, LONGEST) : -1;
		if (to <= 0) return at;
		if (link[0] == '/') dir = 0;
		if (dir + to >= LONGEST) return none;
		for (long i = to - 1; i >= 0; i--) link[dir + i] = link[i];
		for (usize i = 0; i < dir; i++) link[i] = room[i];
		path = (text){link, dir + to};
	}
}

/* changed judges what is made, changed or taken away where a path leads to. Nobody writes but
   where the program can. */
static int changed(text at, text event) {
	if (!settled->denied[filesystem_write] || !at.p || !covered(settled->written, settled->nwritten, at)) return 0;
	int makes = equal(event, T("os.mkdir")) || equal(event, T("os.rmdir")), work = covers(settled->written[0], at);
	if (writes(at, makes) || (makes && equal(at, settled->written[0]))) return 0;
	if (equal(event, T("open.write")) && lists(at)) return 0; /* is not to be written: who opens another by it is told of that */
	return scribbles(!work) ? 0 : stop(filesystem_write, event);
}

/* changes judges that by a path from a directory. */
static int changes(long from, text path, int follow, text event) {
	char room[LONGEST];
	return settled->denied[filesystem_write] ? changed(lies(from, path, follow, room), event) : 0;
}

/* come judges what a path has come to, as it was spelled. */
static int come(text at, text path, text event) {
	if (begins(at, T("/proc/"))) {
		if (settled->denied[environment] && ends(at, T("/environ"))) return stop(environment, T("open.environ"));
		if (settled->denied[native] && ends(at, T("/mem"))) return stop(native, T("open.memory"));
	}
	return settled->denied[filesystem_read] && !readable(at, path) ? stop(filesystem_read, event) : 0;
}

/* comes judges where a path comes to from a directory. What is not there is not read. */
static int comes(long from, text path, text event) {
	char room[LONGEST];
	text at = place(from, path, room);
	return at.p ? come(at, path, event) : 0;
}

/* reaches judges what is opened by a path, to be read or written. */
static int reaches(long from, text path, int writing, text event) {
	char room[LONGEST];
	text at = place(from, path, room), told = T("open.write");
	int result = at.p ? come(at, path, event) : 0;
	if (result || !writing) return result;
	return at.p ? changed(at, told) : changes(from, path, 1, told);
}

/* reaches_below judges a path that may begin in any directory that is open: os.open tells
   of none. */
static int reaches_below(text path, int writing, text event) {
	long fds = open_file(CWD, T("/proc/self/fd"), O_CLOEXEC), n;
	char all[2048];
	int result = reaches(CWD, path, writing, event);
	while (fds >= 0 && !result && (n = call(SYS_getdents64, fds, (long)all, sizeof all, 0)) > 0)
		for (long at = 0; !result && at < n; at += *(unsigned short *)(all + at + 16)) {
			long fd = 0;
			for (const char *c = all + at + 19; digit(*c); c++) fd = 10 * fd + *c - '0';
			if (digit(all[at + 19]) && fd != fds) result = reaches(fd, path, writing, event);
		}
	if (fds >= 0) call(SYS_close, fds, 0, 0, 0);
	return result;
}

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

/* ---- attributes ---- */

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

static int reads(text name, text event) {
	if (equal(name, T("__dict__"))) return !lists_all() && wants(name) == PROGRAM ? stop(introspection, event) : 0;
	for (int i = 0; frames[i]; i++)
		if (name.p && equal(name, of(frames[i])))
			return wants(name) == PROGRAM && !(begins(name, T("f_")) && reads_variables()) ? stop(introspection, event) : 0;
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

/* judge decides about an event of the table. */
static int judge(text event, enum capability c, object *args) {
	switch (c) {
	case process:
		if (!settled->denied[c]) return 0;
		return by_itself(&settled->probes) ? refuse(c, event) : stop(c, event);
	case network:
		if (!settled->denied[c]) return 0;
		if (equal(event, T("socket.__new__"))) {
			object *family = arg(args, 1);
			long n = family ? PyLong_AsLong(family) : -1;
			if (n == -1 && PyErr_Occurred()) PyErr_Clear();
			if (n == 1) return 0; /* AF_UNIX: an event loop that wakes itself up */
		}
		return by_itself(&settled->probes) ? refuse(c, event) : stop(c, event);
	case native:
		return settled->denied[c] && !by_itself(&settled->probes) && !calls_its_own(args, event) ? stop(c, event) : 0;
	case deserialize:
		return settled->denied[c] && !by_itself(&settled->probes) ? stop(c, event) : 0;
	case introspection:
		if (!settled->denied[c]) return 0;
		if (begins(event, T("object.__"))) return reads(string(arg(args, 1)), event);
		return asks_for_frames(event) == PROGRAM ? stop(c, event) : 0;
	case environment:
		return settled->denied[c] ? environ(event) : 0;
	case filesystem_read: {
		int result = opens(args, event);
		return result ? result : alters(args, event);
	}
	case filesystem_write:
		return alters(args, event);
	case signals:
		return settled->denied[c] ? stop(c, event) : 0;
	case code_eval:
		if (equal(event, T("exec"))) return executes(args, event);
		if (equal(event, T("compile"))) return compiles(args, event);
		if (begins(event, T("cpython."))) return settled->denied[c] ? stop(c, event) : 0;
		return settled->denied[c] && asks() == PROGRAM ? stop(c, event) : 0;
	default:
		return 0;
	}
}

/* ---- the runner's word ---- */

/* field takes one off a message of the runner: a tag, 32 bits of length, a
   value. */
static int field(text *t, char *tag, text *value) {
	if (t->n < 5) return 0;
	const unsigned char *p = (const unsigned char *)t->p;
	usize n = (usize)p[1] << 24 | p[2] << 16 | p[3] << 8 | p[4];
	if (n > t->n - 5) return 0;
	*tag = p[0];
	*value = (text){t->p + 5, n};
	t->p += 5 + n;
	t->n -= 5 + n;
	return 1;
}

/* entry is the class of entries of directories. */
static object *entry(void) {
	object *posix = loaded("posix");
	return posix ? PyDict_GetItemString(PyModule_GetDict(posix), "DirEntry") : 0;
}

static void hear(text message) {
	char tag;
	text v;
	message = copy(message);
	while (field(&message, &tag, &v) && (!settled->sealed || tag == 'i' || tag == 't' || tag == 'k')) switch (tag) {
	case 'n': /* denied, with commas */
		while (v.n) {
			text name = cut(&v, ',');
			for (int c = 0; c < CAPABILITIES; c++) if (equal(name, of(capability_names[c]))) settled->denied[c] = 1;
		}
		break;
	case 'y': /* lifted, with commas */
		while (v.n) add(&settled->lifted, cut(&v, ','));
		break;
	case 'o':
		settled->observe = 1;
		break;
	case 'g':
		settled->session = 1;
		break;
	case 'r':
		keep_in(settled->roots, &settled->nroots, ROOTS, v);
		break;
	case 'l':
		keep_in(settled->places, &settled->nplaces, ROOTS, v);
		break;
	case 'w':
		keep_in(settled->written, &settled->nwritten, ROOTS, v);
		break;
	case 'k': /* what the text of the program names, with NUL between, and > before what it writes; of each cell of a session anew */
		if (settled->sealed) {
			seal(PROT_READ | PROT_WRITE);
			settled->ntexts = settled->first;
			settled->nseen = settled->nwrites = 0;
		} else
			settled->first = settled->ntexts;
		while (v.n) {
			text name = cut(&v, 0);
			int written = begins(name, T(">"));
			if (written) name.p++, name.n--;
			keep_in(written ? settled->writes : settled->seen, written ? &settled->nwrites : &settled->nseen, SEEN, name);
		}
		if (settled->sealed) seal(PROT_READ);
		break;
	case 's':
		settled->stdlib = keep(v);
		break;
	case 'h':
		settled->runner = keep(v);
		break;
	case 'i':
		add_lines(&say.known, v);
		break;
	case 'x':
		add_lines(&settled->never, v);
		break;
	case 'f': /* files that everybody may read, with blanks */
		while (v.n) keep_in(settled->harmless, &settled->nharmless, HARMLESS, cut(&v, ' '));
		break;
	case 'q':
		add_lines(&settled->probes, v);
		break;
	case 'm': /* a maker: its file, then the names of its templates */
		if (say.nmakers == MAKERS) break;
		if (v.n && (v.p[0] == TEMPLATE || v.p[0] == FORMULA)) say.makers[say.nmakers].kind = v.p[0], v.p++, v.n--;
		say.makers[say.nmakers].file = cut(&v, ' ');
		while (v.n) {
			text all = cut(&v, ' '), rest = all;
			if (cut(&rest, '*').n == all.n) add(&say.makers[say.nmakers].names, all);
			else if (say.makers[say.nmakers].npatterns < 32) say.makers[say.nmakers].patterns[say.makers[say.nmakers].npatterns++] = all;
		}
		say.nmakers++;
		break;
	case 'p': /* a judged file: its path, then in 'd' what it holds */
		if (say.nfiles < FILES) say.files[say.nfiles].path = v;
		break;
	case 'd':
		if (say.nfiles < FILES) say.files[say.nfiles++].data = v;
		break;
	case 't': /* each cell of a session is told anew */
		say.told = (set){0, 0, 0};
		break;
	case 'z':
		for (int i = 0; i < 2; i++) {
			say.streams[i] = PySys_GetObject(streams[i]);
		}
		introduce();
		settled->sealed = 1;
		settled->entry = PyImport_GetModuleDict && PyModule_GetDict ? entry() : 0;
		seal(PROT_READ);
		break;
	}
}

/* Only the runner speaks: before the program, and between the cells of a
   session. */
static int told(text event, object *args) {
	if (equal(event, T("sallyport.hello"))) {
		if (!settled->sealed) {
			watch_all();
			PyErr_SetString(PyExc_RuntimeError, "sallyport 1");
		}
		return settled->sealed ? 0 : -1;
	}
	if (settled->sealed && asks() != RUNNER) return 0;
	if (equal(event, T("sallyport.unjudged"))) report(code_load, T("import"), 'v');
	else if (!settled->sealed || settled->session) hear(bytes(arg(args, 0)));
	return 0;
}

/* before notes what is loaded while there is no program. */
static int before(text event, object *args) {
	object *held = 0;
	if (equal(event, T("exec"))) keep_loaded(filename(arg(args, 0), &held));
	if (held) Py_DecRef(held);
	return 0;
}

static int hook(const char *name, object *args, void *unused) {
	(void)unused;
	text event = of(name);
	if (asking && equal(event, T("object.__getattr__")) && arg(args, 0) == asking) return 0;
	if (begins(event, T("sallyport.")) && !equal(event, T("sallyport.environ")) && !equal(event, T("sallyport.brings"))) return told(event, args);
	if (!settled->sealed) return before(event, args);
	if (equal(event, T("sallyport.brings"))) return brought(args);
	if (equal(event, T("open"))) return opens(args, event);
	int i = find(event);
	if (i < 0) return 0;
	if (say.ending && settled->denied[settled->table[i].capability]) die(); /* another thread */
	if (equal(event, T("import"))) return imports(args);
	return judge(event, settled->table[i].capability, args);
}

/* shut has the kernel keep what is in this process, its memory and its environment
   among it, from all but root, by whatever path or descriptor. */
static void shut(void) {
	enum { PR_SET_DUMPABLE = 4 };
	if (getenv && getenv("SALLYPORT_SHUT")) call(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0);
}

/* load does no more than that in an interpreter that is no Python. */
__attribute__((constructor)) static void load(void) {
	shut();
	if (!PySys_AddAuditHook || !PyMem_RawCalloc || !PyMem_RawFree || !PyEval_GetFrame || !PyUnicode_AsUTF8AndSize) return;
	for (usize e = 0; e < EVENTS; e++) {
		text name = of(events[e].name);
		usize i = hash(name);
		while (settled->table[i & 255].name.p) i++;
		settled->table[i & 255].name = name;
		for (int c = 0; c < CAPABILITIES; c++)
			if (equal(of(events[e].capability), of(capability_names[c]))) settled->table[i & 255].capability = c;
	}
	PySys_AddAuditHook(hook, 0);
}
