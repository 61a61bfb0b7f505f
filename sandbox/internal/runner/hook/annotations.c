/* Annotations of libraries, which typing evaluates. */

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
