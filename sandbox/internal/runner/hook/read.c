/* Files that the hook reads. */

enum { MOST = 1 << 20, LONGEST = 4096 }; /* bytes of a source, and of a path */
enum { O_CLOEXEC = 02000000, O_PATH = 010000000 };
enum { CWD = -100 }; /* in place of a directory that is open: the one that the program is in */

static long open_file(long from, text file, long flags) {
	char path[LONGEST];
	if (file.n >= sizeof path) return -1;
	for (usize i = 0; i < file.n; i++) path[i] = file.p[i];
	path[file.n] = 0;
	return call(SYS_openat, from, (long)path, flags, 0);
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
