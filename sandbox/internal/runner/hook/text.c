/* Texts, which belong to others, and sets of them. */

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

/* number writes n, and returns how many digits that took. */
static usize number(long n, char *to) {
	char digits[20];
	usize at = 20, end = 0;
	do digits[--at] = '0' + n % 10; while ((n /= 10) > 0 && at > 0);
	while (at < 20) to[end++] = digits[at++];
	return end;
}
