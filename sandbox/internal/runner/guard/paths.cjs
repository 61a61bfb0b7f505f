// Where the kernel comes to by a path, and what lies there. Node's binding is asked itself: what Node has
// around it asks for what a program may change.

const files = given.binding('fs');

// plainly has a function of that object called as Node calls it, with another first
// argument: how it is to be called, every version has for itself.
const plainly = (name, call) => {
  const target = files[name];
  let like;
  files[name] = (...args) => { like = args; return apply(target, files, args); };
  try { call(); } finally { files[name] = target; }
  return (first) => {
    const failed = { __proto__: null }; // where an older Node says what failed
    const told = apply(target, files, like.map((arg, i) => (i === 0 ? first : typeof arg === 'object' && arg !== null ? failed : arg)));
    if (failed.errno !== undefined) throw failed;
    return told;
  };
};
const ends = { __proto__: null };
const O_PATH = 0o10000000, O_CREAT = 0o100, ENOENT = -2;
const barring = new Set([-13, -20, -36, -40]); // EACCES, ENOTDIR, ENAMETOOLONG, ELOOP
const longest = 4096; // the kernel looks for nothing by a longer path
const lookAtPaths = () => {
  let fd;
  ends.open = plainly('open', () => { fd = openSync('/', O_PATH); });
  ends.close = plainly('close', () => closeSync(fd));
  ends.openToRead = plainly('open', () => closeSync(openSync('/dev/null'))); // for us, whoever asks
  ends.spare = opened('/');
  ends.readlink = plainly('readlink', () => readlinkSync('/proc/self/exe'));
  ends.stat = plainly('stat', () => statSync('/', { __proto__: null, bigint: true, throwIfNoEntry: true }));
  ends.real = plainly('realpath', () => realpathSync.native('/', 'utf8'));
  const prefix = dirname(dirname(ends.real(process.execPath)));
  if (prefix !== '/' && !written(`${prefix}/`)) systems.push(prefix);
};

// arrives is where the kernel comes to by a path, undefined where nothing is. What it goes
// no further than tells by that what it is: then it is where the path would lead.
const arrives = (file) => {
  const is = there(file);
  if (is) return reached(file);
  return is === undefined || file.length >= longest ? undefined : leads(file, true);
};
// there says whether something is at a path, null where something bars the way.
const there = (file) => {
  try { return stat(file) && true; } catch (e) {
    if (barring.has(getOwnPropertyDescriptor(e, 'errno')?.value)) return null;
    throw e;
  }
};
const reached = (file) => {
  let fd = opened(file);
  const none = fd === undefined; // all may be in use: one is kept for us
  if (none && ends.spare !== undefined) {
    ends.close(ends.spare);
    fd = opened(file);
  }
  try {
    const at = fd === undefined ? ends.real(file) : ends.readlink(`/proc/self/fd/${fd}`);
    if (typeof at !== 'string') throw null;
    return at;
  } finally {
    if (fd !== undefined) ends.close(fd);
    if (none) ends.spare = opened('/');
  }
};
const opened = (file, open = ends.open) => { try { return open(file); } catch { return undefined; } };

// parted is a path without the name at its end, the name, whether the kernel follows it there
// whatever it is, and the path without slashes behind it.
const parted = (file) => {
  const text = typeof file === 'string', slash = text ? '/' : 0x2f;
  let end = file.length;
  while (end > 1 && file.at(end - 1) === slash) end--;
  const from = file.slice(0, end).lastIndexOf(slash) + 1, name = file.slice(from, end);
  const last = text ? name : apply(utf8Slice, name, [0, name.length]);
  return [from === 0 ? '.' : file.slice(0, from), last, end < file.length || last === '' || last === '.' || last === '..', file.slice(0, end)];
};
const below = (at, name) => normalize(`${at}/${name}`);

// lies is where the name itself is at which a path ends, be it a link or nothing yet: below
// where the kernel comes to by the rest of the path.
const lies = (file) => {
  const [dir, name, followed] = parted(file);
  if (followed) {
    const at = arrives(file);
    if (at !== undefined) return at;
  }
  const at = arrives(dir);
  return at && below(at, name);
};
// leads is where something comes to be that is made at a path: links lead on also to where
// nothing is. Directories on the way are made, too, with all.
const leads = (file, all = false, links = 0) => {
  const [dir, name, , plain] = parted(file);
  if (there(plain)) return reached(plain);
  const near = there(dir);
  if (name === '' || !near && !all) return undefined;
  const at = near ? reached(dir) : leads(dir, true, links), to = near && links < 40 ? opened(plain, ends.readlink) : undefined;
  if (!near && links < 40 && at !== undefined && there(`${at}/`)) return leads(`${at}/${name}`, all, links + 1); // back by ..
  if (typeof to !== 'string') return at && below(at, name);
  if (to.includes('\uFFFD')) throw null; // no text says where it leads
  return leads(to.startsWith('/') ? to : `${at}/${to}`, all, links + 1);
};
// comes is where something is that is made there where it is not.
const comes = (file) => arrives(file) ?? leads(file);

// Node says of what fails by setting it on objects: whoever has such a property on all of
// them would hear of it in the midst, or answer in its place. Then nothing is known of a file.
const inherited = globals.Object.prototype;
const failing = ['errno', 'code', 'syscall', 'path', 'dest', 'message'];
// stat returns what a file is, undefined where there is none.
const stat = (file) => {
  for (let i = 0; i < failing.length; i++) if (getOwnPropertyDescriptor(inherited, failing[i])) throw null;
  let told;
  try { told = ends.stat(file); } catch (e) {
    if (getOwnPropertyDescriptor(e, 'errno')?.value === ENOENT) return undefined;
    throw e;
  }
  return { __proto__: null, dev: told[0], mode: told[1] };
};
// placeOf is where a file is. What is not there is where it is said to be.
const placeOf = (file) => (stat(file) === undefined ? file : ends.real(file));
const isFile = (file) => { const told = stat(file); return told !== undefined && (told.mode & 0o170000n) === 0o100000n; };

// read returns the text of a file. Node's own readFileSync asks for functions of fs
// and for properties of buffers that a program may change.
const read = (file) => {
  const fd = opened(file, ends.openToRead) ?? openSync(file); // whose errors tell why
  try {
    for (let room = new Uint8Array(1 << 16), n = 0;;) {
      const more = readSync(fd, room, n, room.length - n, null);
      if (more === 0) return apply(utf8Slice, room, [0, n]);
      n += more;
      if (n < room.length) continue;
      const wider = new Uint8Array(4 * n);
      wider.set(room);
      room = wider;
    }
  } finally {
    closeSync(fd);
  }
};
const textOf = (file) => { try { return read(file); } catch { return undefined; } };
const stripped = (text) => text?.replace(/^\uFEFF/, '');
