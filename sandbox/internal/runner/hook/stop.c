/* How a run ends, and how a library is refused. */

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
