/* Code that comes into being: what it asks for, and who may make such. */

static const char *const generated[] = {
	"__class__", "__classcell__", "__classdict__", "__module__", "__name__", "__qualname__", "__doc__", "__annotations__",
	"__conditional_annotations__", "__annotate__", "__annotate_func__", "__firstlineno__", "__static_attributes__", "__type_params__",
	"AssertionError", "NotImplementedError", "super", "format", "join", 0,
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
