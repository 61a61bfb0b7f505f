/* What the hook knows: events, what is settled before there is a program, and what the
   runner said. */

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
