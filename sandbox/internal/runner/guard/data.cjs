// Files that are read, listed or looked for.

// Where what comes with Node and with libraries is, and no program writes.
const systems = ['/usr', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/node_modules', dirname(runner)];
const covers = (place, file) => (place.endsWith('*') ? file.startsWith(place.slice(0, -1)) : `${file}/`.startsWith(place.endsWith('/') ? place : `${place}/`));
const covered = (places, file) => places.some((place) => covers(place, file));

// named says that the text of the program names where a path has come to, or a link that
// leads there, which the program cannot have made: where it can write is named by nothing.
const named = (at, event) => {
  const self = `/proc/${pid}/`;
  if (at.startsWith(self)) at = `/proc/self/${at.slice(self.length)}`;
  const places = event === 'fs.readdir' ? seen.files : [...seen.harmless, ...seen.files];
  return covered(places, at) || places.some((file) => {
    const to = /^\/(proc|dev)\/|\*$/.test(file) ? undefined : arrives(file);
    return to !== undefined && covers(to, at);
  });
};
const readable = (at, event) => (at.startsWith('/') ?
  at.startsWith('/memfd:') || written(`${at}/`) || event === 'fs.stat' && above(at) ||
  (event === 'fs.stat' || covered(systems, at) || at.includes('/node_modules/')) && lends(event) || named(at, event) :
  /^(pipe|socket|anon_inode|host):/.test(at));
// above says that a directory leads to where the program can write, or to what its text names.
const above = (at) => [top, ...scratch, ...seen.harmless, ...seen.files].some((file) => covers(at, file));

// lends says whether who asks may have what comes with Node and with libraries: what loads
// modules, where it says that it reads a file, and libraries of the operator's. All else of Node
// reads for who calls it, and what nobody is seen to call, as a stream that begins later, may be
// for the program: so may what the loader asks an object of the program's for, or calls in the
// place of what reads.
const lends = (event) => {
  const all = frames(), s = all.find((s) => ofModules(fileOf(s)) || !fileOf(s)?.startsWith('node:') && lineOf(s) != null);
  const file = fileOf(s) ?? '';
  if (ofModules(file)) return event !== 'fs.readdir' && spelled(loading, s) && (all[0] === s || spelled(opening, all[0]));
  const place = file.startsWith('file:') ? fileURLToPath(file) : file;
  return !program(file) && isAbsolute(place) && placeOf(place) === place; // a program's own has other names, too
};
const ofModules = (file) => file?.startsWith('node:internal/modules/') ?? false;
const loading = ['readFileSync', 'readFileAsync', 'internalModuleReadJSON', 'openSync', 'statSync', 'realpathSync'];
const opening = ['open', 'openFileHandle', 'readFileUtf8', 'stat', 'lstat', 'readlink'];

// fits says that a path begins as a pattern does, or ends with it, too; * stands for any signs but slashes.
// Each piece between stars is taken where it stands first: another one further on fits no more than that.
const fits = (pattern, file, whole = false) => {
  const pieces = pattern.split('*');
  let at = 0;
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i], ended = whole && i === pieces.length - 1;
    for (; !file.startsWith(piece, at) || ended && at + piece.length !== file.length; at++) if (i === 0 || at >= file.length || file[at] === '/') return false;
    at += piece.length;
  }
  return true;
};
// changeable says that the text of the program names what it writes to, or what is to lie in the
// directory that it makes. A library of the operator's writes aside; elsewhere nobody does.
const changeable = (at, makes) => {
  if (!written(`${at}/`) || seen.writes.some((name) => fits(name, at))) return true;
  if (makes && (at === top || seen.writes.some((name) => name.split('/').some((_, i, all) => i > 1 && fits(all.slice(0, i).join('/'), at, true))))) return true;
  return at !== top && !at.startsWith(`${top}/`) && lends('fs.readdir');
};

const deniesFiles = () => denies('filesystem.read') || denies('filesystem.write');

// looked is a path that a program may get at, as nobody changes it any more. Links in the
// places of the system are not the program's.
const looked = (file, event, to, writes, makes) => {
  if (typeof file === 'number' || file === undefined) return file; // what is open, or nothing
  const own = typeof file === 'string' ? file : new Uint8Array(file);
  if (!writes && typeof own === 'string' && !own.includes('/..') && covered(systems, own) && lends(event)) return own;
  const at = to(own);
  if (at !== undefined && denies('filesystem.read') && !readable(at, event)) fire('filesystem.read', event);
  if (at !== undefined && writes && denies('filesystem.write') && !changeable(at, makes)) fire('filesystem.write', 'fs.write');
  return own;
};

// looking stands for a function that gets at what is at a path, one of its arguments, and
// looks before that. Its errors tell nothing of us.
const looking = (target, event, to = arrives, nth = 0, writes = never, pathOf = (file) => file) => new Proxy(target, { __proto__: null, apply: function look(_, self, args) {
  const own = [];
  for (let i = 0; i < args.length; i++) own[i] = args[i];
  if (deniesFiles()) {
    const changes = writes(own);
    own[nth] = sure('filesystem.read', event, () => {
      try {
        return looked(pathOf(own[nth]), event, (file) => to(file, own), changes, to === makes);
      } catch (e) {
        if (changes) fire('filesystem.write', 'fs.write');
        throw e;
      }
    }, own[nth]);
  }
  try {
    return apply(target, self, own);
  } catch (e) {
    if (isNativeError(e)) captureStackTrace(e, look);
    throw e; // node-do-not-add-exception-line
  }
} });
const pathOf = (file) => (file === undefined || typeof file === 'string' || isUint8Array(file) ? file : fileURLToPath(apply(addresses.href, file, [])));
const looksAt = (holder, name, event, usual) => {
  if (typeof holder[name] === 'function') set(holder, name, looking(holder[name], event, arrives, 0, never, (file) => pathOf(file ?? usual)));
};

// oneByOne has Node copy a tree by functions that look at each thing in it, as it does where
// somebody filters them, and not by one in machine code that follows links.
const oneByOne = (holder, name) => {
  const target = holder[name];
  if (typeof target === 'function') set(holder, name, new Proxy(target, { __proto__: null, apply(_, self, args) {
    const own = [];
    for (let i = 0; i < args.length; i++) own[i] = args[i];
    if (deniesFiles()) filter(own);
    return apply(target, self, own);
  } }));
};
const filter = (args) => {
  if (typeof args[2] === 'function') args.splice(2, 0, undefined);
  if (args[2] !== undefined && (typeof args[2] !== 'object' || args[2] === null || Array.isArray(args[2]))) return; // Node says what is wrong with it
  const options = { __proto__: null, ...args[2] };
  if (options.filter === undefined) options.filter = takesAll;
  args[2] = options;
};
const { takesAll } = given.functionsOf(['takesAll'], () => true);

// finding stands for what has the loader find a module. A program has it look, and it finds, where modules of the
// operator's are, where the program can write, and what its text names; libraries look wherever they like.
const shared = []; // directories of modules that every program may have
const mayFind = (at) => written(`${at}/`) || above(at) || covered(seen.files, at);
const byProgram = () => {
  const by = frames().find((s) => !fileOf(s)?.startsWith('node:') && lineOf(s) != null);
  return by === undefined || program(fileOf(by) ?? '');
};
const seeks = (args) => {
  const request = args[0], paths = [''];
  if (Array.isArray(args[1]) && !(typeof request === 'string' && isAbsolute(request))) for (let i = 0; i < args[1].length; i++) paths[i] = args[1][i];
  args[1] = paths; // which nobody changes any more
  return paths.every((dir) => {
    if (typeof dir !== 'string' || typeof request !== 'string') throw null;
    const from = isAbsolute(dir || request) ? dir : `${arrives('.')}/${dir}`, at = normalize(from === '' ? request : `${from}/${request}`);
    return (from.endsWith('/node_modules') || shared.includes(dir)) && at.startsWith(`${normalize(from)}/`) || mayFind(at);
  });
};
const finding = (own) => new Proxy(own, { __proto__: null, apply(_, self, args) {
  const judges = denies('filesystem.read') && sure('filesystem.read', 'fs.stat', byProgram, true);
  if (judges && !sure('filesystem.read', 'fs.stat', () => seeks(args), true)) fire('filesystem.read', 'fs.stat');
  const found = apply(own, self, args);
  // A link, or what a package says of itself, leads elsewhere.
  if (judges && typeof found === 'string' && !found.includes('/node_modules/') && !covered(shared, found) && !mayFind(found)) fire('filesystem.read', 'fs.stat');
  return found;
} });

// guardPublic are those that read what is at a path by functions that nobody has but Node.
const guardPublic = () => {
  // By these Node itself reads modules: it has its own, whatever a program has put there.
  for (const name of ['readFileSync', 'realpathSync', 'openSync']) {
    const target = fs[name];
    hold(fs, name, (_, own) => (own === target || policy.observe || !sure('filesystem.read', 'fs.open', () => fileOf(caller())?.startsWith('node:'), true) ? own : target));
  }
  for (const name of ['cp', 'cpSync']) oneByOne(fs, name);
  for (const name of ['opendir', 'opendirSync', 'cp', 'cpSync']) looksAt(fs, name, 'fs.readdir');
  before(fs, 'Dir', 'filesystem.read', 'fs.readdir'); // which lists what it is told to be a directory in it, by a function that nobody else has
  guardBelow(fs.Dir?.prototype);
  for (const name of ['openAsBlob', 'openAsBlobSync']) looksAt(fs, name, 'fs.open');
  looksAt(process, 'loadEnvFile', 'fs.open', '.env');
  looksAt(process, 'chdir', 'fs.stat');
  for (let i = 0; i < Module.globalPaths.length; i++) shared[i] = Module.globalPaths[i];
  set(Module, '_findPath', finding(Module._findPath));
  const get = new Proxy(promises.get, { __proto__: null, apply(own, self, args) { if (deniesFiles()) guardPromises(); return apply(own, self, args); } });
  defineProperty(fs, 'promises', { __proto__: null, ...promises, get });
};
// guardBelow has a directory look at the one below it that it lists: its method does so of whatever is
// said to be one, by whoever calls it. Node 26 gives that to nobody.
const guardBelow = (dir) => {
  const name = 'readSyncRecursive', target = dir?.[name];
  if (typeof target !== 'function') return;
  const given = (at) => (typeof at === 'string' ? { __proto__: null, parentPath: at, path: at, name: '' } : at);
  const lists = new Proxy(target, { __proto__: null, apply: (_, self, args) => apply(target, self, [given(args[0])]) });
  const entryAt = (entry) => {
    const above = entry?.parentPath ?? entry?.path, own = entry?.name;
    return typeof above === 'string' && typeof own === 'string' ? join(above, own) : undefined; // Node says what is wrong with it
  };
  set(dir, name, looking(lists, 'fs.readdir', arrives, 0, never, entryAt), { enumerable: false });
};
// guardPromises loads what has another of them, before anybody else has it. It is much to
// load, so it waits until somebody asks for it, by one of its two names.
const promises = getOwnPropertyDescriptor(fs, 'promises');
let promised = false;
const guardPromises = () => {
  if (promised) return;
  promised = true;
  const own = apply(promises.get, fs, []);
  oneByOne(own, 'cp');
  for (const name of ['opendir', 'cp']) looksAt(own, name, 'fs.readdir');
};
const promising = (request) => { if (deniesFiles() && names(/^(?:node:)?fs\/promises$/, request)) guardPromises(); };
// asking looks at what a module brings that is much to load, when somebody asks for it.
const asking = (request) => { promising(request); parsing(request); threading(request); keying(request); engines(request); for (const look of late) look(request); };
// names says that a module may be asked for; what is no text can be another one each time.
const names = (pattern, request) => typeof request !== 'string' || pattern.test(request);

// The functions by which Node gets at what is at a path: what tells of them, where each comes
// to, which argument the path is, and when it changes something there. All of Node calls them as members of one object. What a
// program cannot write to tells by how it fails whether something is there.
const opens = (file, args) => arrives(file) ?? (args[1] & O_CREAT ? leads(file) : undefined);
const makes = (file, args) => (args[2] ? arrives(file) ?? leads(file, true) : lies(file));
const copies = (file) => arrives(file) ?? leads(file, true);
const never = () => false, always = () => true;
const O_ACCMODE = 3, O_TRUNC = 0o1000, toWrite = (args) => (args[1] & (O_ACCMODE | O_CREAT | O_TRUNC)) !== 0;
const readers = [
  ['fs.open', opens, 0, 'open openFileHandle', toWrite],
  ['fs.open', arrives, 0, 'readFileUtf8 internalModuleReadJSON copyFile', never],
  ['fs.open', comes, 0, 'writeFileUtf8', always],
  ['fs.readdir', arrives, 0, 'readdir readdirRecursive opendir opendirSync cpSyncCopyDir', never],
  ['fs.link', arrives, 0, 'link', always], // a file is written to by either name
  ['fs.stat', arrives, 0, 'stat access existsSync statfs realpath cpSyncCheckPaths cpSyncOverrideFile', never],
  ['fs.stat', arrives, 0, 'chmod chown utimes', always],
  ['fs.stat', lies, 0, 'lstat readlink', never],
  ['fs.stat', lies, 0, 'rename unlink rmdir rmSync mkdtemp lchown lutimes', always],
  ['fs.stat', makes, 0, 'mkdir', always],
  ['fs.stat', lies, 1, 'rename link symlink', always],
  ['fs.stat', comes, 1, 'copyFile cpSyncOverrideFile', always],
  ['fs.stat', copies, 1, 'cpSyncCopyDir', always],
  ['fs.stat', copies, 1, 'cpSyncCheckPaths', always],
];
// guardReaders has each of them look first. That is before there is a program, so that a
// rehearsal has run with them.
const stood = []; // what stood in their places
const guardReaders = () => {
  const looks = (holder, name, ...how) => {
    const own = holder?.[name];
    if (typeof own !== 'function') return;
    stood.push([holder, name, own]);
    holder[name] = looking(own, ...how);
  };
  for (const [event, to, nth, all, writes] of readers) for (const name of all.split(' ')) looks(files, name, event, to, nth, writes);
  // What is changed by a file that is open.
  const openUnnamed = (args) => {
    if (!denies('filesystem.write') || typeof args[0] !== 'number') return false;
    const at = arrives(`/proc/self/fd/${args[0]}`);
    return at !== undefined && !at.endsWith(' (deleted)') && !changeable(at);
  };
  for (const name of ['fchmod', 'fchown', 'futimes']) {
    stood.push([files, name, files[name]]);
    before(files, name, 'filesystem.write', 'fs.write', openUnnamed);
  }
  looks(files.ReadFileJob?.prototype, 'run', 'fs.open'); // of Node 26, which has taken them already
  looks(files.WriteFileJob?.prototype, 'run', 'fs.open', comes, 0, always);
  for (const watcher of [files.StatWatcher, bindingOf('fs_event_wrap').FSEvent]) looks(watcher?.prototype, 'start', 'fs.stat');
};
// keepReaders leaves them there for whom that is denied. All others get back what stood there.
const keepReaders = () => {
  if (!deniesFiles()) for (const [holder, name, own] of stood.reverse()) holder[name] = own;
  else if (process.moduleLoadList.some((name) => name.endsWith(' internal/fs/promises'))) guardPromises(); // and may be handed out already
};
