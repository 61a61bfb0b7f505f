/* The audit hook of PEP 578 that stops a Python program which does what policy
   denied although nobody saw it in the text.

   It is a shared object without a C library: the interpreter that loads it
   brings every function that is called here, or the hook does not load and the
   runner says so. It is added before the interpreter starts, so nothing that
   runs in the interpreter can take it out, and it keeps nothing where Python
   could reach it. It is not a boundary: native code is not subject to it.

   Until the runner has said what is granted ("sallyport.seal") everything
   passes: no program is there yet. */

/* One unit: each part uses those before it, and load alone is seen from outside. */
#include "python.h"       /* what the interpreter brings */
#include "kernel.c"       /* calls of the kernel */
#include "text.c"         /* texts, and sets of them */
#include "read.c"         /* files that the hook reads */
#include "state.c"        /* what it knows: the events, what is settled, what the runner said */
#include "objects.c"      /* objects of the interpreter */
#include "asks.c"         /* who asks: the frames that led here */
#include "stop.c"         /* how a run ends, and a library is refused */
#include "code.c"         /* code that comes into being */
#include "annotations.c"  /* texts that libraries evaluate as types */
#include "modules.c"      /* what is imported, executed, compiled */
#include "places.c"       /* where a path leads, and who may go there */
#include "files.c"        /* what is opened, listed, changed */
#include "attributes.c"   /* what CPython has no event for, and frames */
#include "word.c"         /* the runner's word */

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
		if (begins(event, T("object.__"))) return likens(arg(args, 0)) ? -1 : reads(string(arg(args, 1)), event);
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
