/* Where a path leads, whose that place is, and what is read or written there. */

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
