/* The runner's word: what is denied, and what the analysis knows. */

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
