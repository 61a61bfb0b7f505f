// The hooks that end a JavaScript program at what policy denied. This runs in a
// realm of its own: its Array, Map, Error and all the rest are not those that
// the program can change, no code can be made of text in it, and all of it is
// frozen before there is a program. What it takes from the program's realm it
// takes now, and calls by its own Reflect.apply. inside.cjs has it compiled.
'use strict';
(function (given) {
const { globals, require, process, top, runner } = given;

delete globalThis.WebAssembly; // nobody needs it here
const { freeze, seal, defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames, getPrototypeOf, setPrototypeOf } = Object;
const { apply, construct } = Reflect;
const fs = require('fs'), path = require('path'), Module = require('module'), vm = require('vm');
const url = require('url'), util = require('util');
const { openSync, readSync, closeSync, writeSync, statSync, realpathSync, readlinkSync } = fs;
const { isAbsolute, extname, normalize, dirname } = path;
const { fileURLToPath } = url, { isProxy, isUint8Array, isUint32Array, isSharedArrayBuffer, isNativeError } = util.types, { inspect } = util;
const { URL, Buffer, Promise: Promised } = globals;
const { captureStackTrace } = globals.Error;
const bytesOf = Buffer.from, { utf8Slice } = Buffer.prototype;
const { _kill: kill, reallyExit, pid } = process;
const isMainThread = !process.abort.disabled;
const SIGKILL = 9, SIGSYS = 31;

// ---- what is denied ----

const policy = { __proto__: null, on: false, observe: false, denied: { __proto__: null }, lifted: { __proto__: null } };
const judged = new Map(); // the text of each file that may be loaded as code
const events = new Set(); // those that did not end the run

const denies = (kind) => policy.on && policy.denied[kind] === true;

// ---- who asks ----

// The stack is that of this realm's Error, whose way of telling no program can change,
// and whose limit is set whenever it is asked.
const most = 30;
Error.stackTraceLimit = most;
Error.prepareStackTrace = (_, sites) => sites;
const site = getPrototypeOf(new Error().stack[0]);
const { getFileName, getLineNumber, getColumnNumber, getPosition } = site;
const fileOf = (s) => s && apply(getFileName, s, []);
const ownFiles = new Set([fileOf(new Error().stack[0]), runner, given.inside]);
const lineOf = (s) => apply(getLineNumber, s, []);

// frames are those of the program's stack, without our own. V8 gives none, but a
// text, while somebody's prepareStackTrace runs: then nobody can tell who asks.
const frames = (limit = most) => {
  Error.stackTraceLimit = limit;
  const sites = new Error().stack;
  if (typeof sites !== 'object') throw null;
  const all = [];
  for (let i = 0; i < sites.length; i++) if (!ownFiles.has(fileOf(sites[i]))) all.push(sites[i]);
  return all;
};

const scratch = ['/tmp', '/var/tmp', '/dev/shm']; // where a program can write besides its own directory
const written = (file) => file.startsWith(`${top}/`) || scratch.some((place) => file.startsWith(`${place}/`));
const ours = (file) => file.startsWith(`${top}/`) || file.startsWith(`file://${top}/`);

// asker is the file that asks. What V8 itself does on the way, without a line,
// is nobody's.
const asker = () => fileOf(frames().find((s) => fileOf(s) || lineOf(s) != null)) || '';

// asked says whether no part of node, and no library of the operator's, asks.
const program = (file) => file === '' || ours(file) || written(file);
const asked = () => program(asker());
// caller is the first of them: of ours there are fewer above it.
const caller = () => frames(12)[0];
const loads = (part) => (fileOf(caller()) ?? '').startsWith(`node:internal/modules/${part}`);
const mayLoad = (part) => { try { return loads(part); } catch { return true; } };

// spelled says whether Node itself asks, or a library of the operator's, and not on
// behalf of the program: its text has, at the very place that asks, the name of what it
// asks for. What calls a function, or reads a member, that somebody gave it does
// not: nor does V8, whose frames have no file.
const spelled = (names, s = caller()) => names.includes(nameAt(s));
const nameAt = (s) => { // undefined of the program's
  const file = fileOf(s) ?? '';
  if (program(file)) return undefined;
  const row = lineOf(s), column = apply(getColumnNumber, s, []), place = `${file}:${row}:${column}`;
  if (!places.has(place)) places.set(place, spelling(sourceOf(file), row, column));
  return places.get(place);
};
const places = new Map(); // the name at each place that asked

// placeAt is the line and the column of a place in a text.
const placeAt = (text, at) => {
  let row = 1, from = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', from)) { from = end + 1; row++; }
  return [row, at - from];
};

// spelling is the name that is written at a place: of a, a[, 'a', new a and new b.a.
const spelling = (text, row, column) => {
  let at = 0;
  for (let i = 1; i < row && at >= 0; i++) at = text.indexOf('\n', at) + 1 || -1;
  if (at < 0) return '';
  const from = at + column - 1;
  return /^(?:\?\.|\[?['"]|new (?:[\w$]+\.)*)?([\w$]+)/.exec(text.slice(from, from + 100))?.[1] ?? '';
};

// sourceOf is the text of what a frame is in, where that is what its name says.
const sourceOf = (file) => {
  if (file.startsWith('node:')) return given.natives[file.slice('node:'.length)] ?? '';
  const place = file.startsWith('file:') ? fileURLToPath(file) : file;
  return placeOf(place) === place ? stripped(textOf(place)) ?? '' : '';
};

// ofUtil says whether vm makes the realm that Node itself wants when the first
// stream has come to its end.
const ofUtil = () => {
  const s = frames().find((s) => fileOf(s) !== 'node:vm');
  return fileOf(s) === 'node:internal/util' && spelled(makers, s);
};
const makers = ['Script', 'createScript', 'compileFunction', 'createContext', 'runInContext', 'runInNewContext', 'runInThisContext', 'SourceTextModule'];

// parses says whether who asks is the parser of a client of HTTP: that of Node,
// or of the same package where the operator has it beside.
const parses = () => {
  const file = fileOf(caller()) ?? '';
  return (file.startsWith('node:internal/deps/') || file.endsWith('/node_modules/undici/lib/dispatcher/client-h1.js')) && spelled(wasm);
};
const wasm = ['compile', 'instantiate', 'compileStreaming', 'instantiateStreaming', 'Module', 'Instance', 'Memory', 'Table', 'Global'];

const line = () => {
  try {
    return lineOf(frames().find((s) => ours(fileOf(s) ?? ''))) ?? 0;
  } catch {
    return 0;
  }
};

// ---- what comes of it ----

// By the key the host knows what we tell from what the program writes beside it. It is in
// no text, which a program could find in a picture of its heap.
const key = new Uint8Array(16);

// tell writes to where the program could write, too: it may have that not wait.
const tell = (message) => {
  for (let i = 0; i < 1e5; i++) {
    try { return writeSync(102, message, 0, message.length, null); } catch (e) { if (e?.code !== 'EAGAIN') return undefined; }
  }
};
const frameOf = (tag, body) => [tag.charCodeAt(0), 0, 0, 0, body.length, ...body];
const report = (tag, text) => {
  const body = [];
  for (let i = 0; i < text.length; i++) body[i] = text.charCodeAt(i);
  tell(new Uint8Array([...key, ...frameOf(tag, body)]));
};

const makeKey = () => {
  const fd = openSync('/dev/urandom');
  try { if (readSync(fd, key, 0, key.length, null) !== key.length) throw null; } finally { closeSync(fd); }
  key[0] = 0xff; // which is in no text
};

// fire ends the run, or only tells, where the capability is denied. A worker
// cannot end its process otherwise than by a signal.
const fire = (kind, event) => {
  if (!denies(kind) || policy.lifted[event] === true) return;
  if (policy.observe) {
    if (!events.has(event)) report('v', `${kind} ${event} ${line()}`);
    events.add(event);
    return;
  }
  report('s', `${kind} ${event} ${line()}`);
  for (;;) {
    kill(pid, SIGSYS);
    for (let i = 0; i < 1e8; i++);
    kill(pid, SIGKILL);
    reallyExit(128 + SIGSYS);
  }
};

// sure has a hook decide. One that cannot has decided: who made it fail wants what
// it holds.
const sure = (kind, event, decide, otherwise) => {
  try {
    return decide();
  } catch {
    fire(kind, event);
    return otherwise;
  }
};

// ---- taking the place of functions ----

const set = (holder, name, value, how) => defineProperty(holder, name, { __proto__: null, configurable: true, enumerable: true, writable: true, value, ...how });

// wrap returns what stands for a function from now on. To V8 and to the program
// it is the function itself: its prototype, its name, its text.
const wrap = (target, kind, event, looks) => {
  const look = (args) => sure(kind, event, () => looks(args));
  const wrapped = new Proxy(target, {
    __proto__: null,
    apply: (_, self, args) => { look(args); return apply(target, self, args); },
    construct: (_, args, to) => { look(args); return construct(target, args, to === wrapped ? target : to); },
  });
  const made = getOwnPropertyDescriptor(target, 'prototype')?.value;
  if (made && getOwnPropertyDescriptor(made, 'constructor')?.value === target) set(made, 'constructor', wrapped, { enumerable: false });
  return wrapped;
};

// before has fire called before a function of holder.
const before = (holder, name, kind, event, when = () => true) => {
  const target = holder?.[name];
  if (typeof target !== 'function') return undefined;
  const wrapped = wrap(target, kind, event, (args) => { if (when(args)) fire(kind, event); });
  const d = getOwnPropertyDescriptor(holder, name);
  if (d?.configurable !== false) set(holder, name, wrapped, { enumerable: d?.enumerable ?? true });
  else if (d.writable) holder[name] = wrapped;
  return wrapped;
};

// hold is a property that the program may set for itself, while answer says who
// gets what.
const hold = (holder, name, answer) => {
  let own = holder[name];
  defineProperty(holder, name, {
    __proto__: null, configurable: false, enumerable: true,
    get() { return answer(this, own); },
    set(value) { if (this === holder) own = value; else set(this, name, value); },
  });
};

// ---- code from text ----

const guardText = () => {
  const made = before(globals.Function.prototype, 'constructor', 'code.eval', 'Function');
  set(globals, 'Function', made, { enumerable: false });
  for (const kind of given.functions) {
    const { constructor } = kind;
    before(kind, 'constructor', 'code.eval', 'Function');
    setPrototypeOf(constructor, made); // by which one comes from the one to the other
  }
  const { Script } = vm, base = getPrototypeOf(Script);
  for (const holder of [Script.prototype, base.prototype]) {
    for (const name of getOwnPropertyNames(holder)) if (name.startsWith('runIn')) before(holder, name, 'code.eval', 'vm', () => !ofUtil());
  }
  setPrototypeOf(Script, wrap(base, 'code.eval', 'vm', () => { if (!ofUtil()) fire('code.eval', 'vm'); }));
  for (const name of makers) {
    before(vm, name, 'code.eval', 'vm', () => !ofUtil());
  }
  before(given.origin('v8', 'setFlagsFromString'), 'setFlagsFromString', 'code.eval', 'v8.setFlagsFromString');
  for (const name of ['register', 'registerHooks', 'enableCompileCache']) before(Module, name, 'code.eval', 'module.register');
  let inspector;
  try { inspector = given.origin('inspector', 'Connection'); } catch { return; } // a node without one
  for (const name of ['Session', 'Connection', 'MainThreadConnection', 'open']) before(inspector, name, 'code.eval', 'inspector.Session');
};

// guardEval comes when the job is there: V8 takes a call of eval for what it is,
// one that sees the names around it, only where it is eval itself. Whoever may
// not call it does not get it; where one looks on, looking it up is what is seen.
const guardEval = () => {
  if (!denies('code.eval') || policy.lifted.eval) return;
  const own = globals.eval;
  if (!policy.observe) {
    before(globals, 'eval', 'code.eval', 'eval');
    return;
  }
  defineProperty(globals, 'eval', {
    __proto__: null, configurable: true, enumerable: false,
    get() { if (sure('code.eval', 'eval', asked)) fire('code.eval', 'eval'); return own; },
    set(value) { set(globals, 'eval', value, { enumerable: false }); },
  });
};

// ---- files as code ----

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

// known says that a file may be loaded as code: one outside of what the program
// can write, or one that was judged and is as it was.
const known = (file) => {
  const place = placeOf(file);
  return !written(place) || judged.has(place) && textOf(place) === judged.get(place);
};

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

const stripped = (text) => text?.replace(/^\uFEFF/, '');

// guardPaths keeps by which node comes to the path of every file that it opens: with
// another one it would read one file and tell of another.
const guardPaths = () => set(path, 'toNamespacedPath', path.toNamespacedPath, { configurable: false, writable: false });

// guardCompile hands node's loader a function that compiles what was judged, or
// what is in a file that no program can write, whatever the loader has read: it
// is node's own, so nothing of ours is in a stack trace. Whoever else asks gets
// one that looks at what it is given.
const guardCompile = () => {
  const { prototype } = Module, compile = prototype._compile, { bind } = Function.prototype;
  const textFor = (file) => stripped(written(file) ? judged.get(file) : textOf(file));
  const looks = wrap(compile, 'code.eval', 'Module._compile', (args) => {
    if (!policy.on) return;
    if (typeof args[0] !== 'string' || typeof args[1] !== 'string') throw null;
    const file = placeOf(args[1]), loading = loads('cjs/loader');
    if ((loading || written(file)) && textFor(file) === args[0]) return;
    const read = loading && stripped(textOf(file)) === args[0];
    fire(read ? 'code.load' : 'code.eval', read ? 'import' : 'Module._compile');
  });
  // What is put around each module may be changed.
  const { wrap: around, wrapper } = Module, first = wrapper[0], last = wrapper[1];
  const plain = () => Module.wrap === around && Module.wrapper === wrapper && wrapper[0] === first && wrapper[1] === last;
  hold(prototype, '_compile', (module, own) => sure('code.eval', 'Module._compile', () => {
    if (loads('cjs/loader') && !plain()) fire('code.eval', 'Module._compile');
    if (own !== compile || !denies('code.eval') && !denies('code.load')) return own;
    const name = isProxy(module) ? undefined : getOwnPropertyDescriptor(module, 'filename')?.value;
    if (typeof name !== 'string' || !loads('cjs/loader')) return looks;
    const file = placeOf(name), text = textFor(file);
    if (text === undefined || !known(file)) return looks;
    return policy.observe ? compile : apply(bind, compile, [module, text, name]);
  }, looks));
};

// modules has what an older node reads modules by be ours, before it has read one.
let modules = () => {};

// guardSource has the loader of ES modules take the text of none from what all objects
// inherit, where it looks before it reads a file. That is a plain value, now and
// ever: what it is when the loader has looked, it was when it looked.
const guardSource = () => set(inherited, 'source', undefined, { enumerable: false, configurable: false });

const addresses = { __proto__: null };
for (const name of ['href', 'pathname']) addresses[name] = getOwnPropertyDescriptor(URL.prototype, name).get;

const decoded = (text) => { try { return decodeURIComponent(text); } catch { return ''; } };

// guardURLs sees what the loader of ES modules loads: it asks each URL for its
// protocol, and has no other entry that is ours to take.
const guardURLs = () => {
  const how = getOwnPropertyDescriptor(URL.prototype, 'protocol');
  const { href, pathname } = addresses;
  defineProperty(URL.prototype, 'protocol', {
    __proto__: null, configurable: false, enumerable: true, set: how.set,
    get() {
      const protocol = apply(how.get, this, []);
      if (!policy.on || protocol !== 'data:' && protocol !== 'file:' && protocol !== 'node:' || !mayLoad('esm/')) return protocol;
      modules();
      if (protocol === 'node:') sure('code.load', 'import', () => { const name = apply(href, this, []); asking(name); if (unseen(name) && !libraries) fire('code.load', 'import'); });
      if (protocol === 'data:') fire('code.eval', 'import.data');
      if (inherited.source !== undefined) {
        fire('code.eval', 'import.data');
        fire('code.load', 'import');
      }
      const inside = protocol === 'file:' && written(apply(href, this, []).slice('file://'.length));
      libraries ||= protocol === 'file:' && !inside;
      if (inside) sure('code.load', 'import', () => {
        const file = decoded(apply(pathname, this, []));
        if (!known(file) && isFile(file) && !file.endsWith('.json')) fire('code.load', 'import');
      });
      return protocol;
    },
  });
};

// ---- modules of Node's own ----

// seen are those that stand in the text of the program, and files that do; and files that
// libraries look at by themselves, which everybody may open.
const seen = { __proto__: null, modules: new Set(), files: [], harmless: [] };
const see = (files, harmless, modules) => {
  seen.files = listOf(files);
  seen.harmless = listOf(harmless);
  seen.modules = new Set(listOf(modules));
};
// listOf is a list of our own, of one whose iterator a program may have changed.
const listOf = (list) => {
  const own = [];
  for (let i = 0; i < list.length; i++) if (list[i] !== '') own[own.length] = list[i];
  return own;
};

// unseen says that something names a module of Node's, and that neither it nor what it is a
// part of (fs/promises) stands in the text of the program.
const builtins = new Set();
const unseen = (request) => {
  if (typeof request !== 'string') throw null;
  const name = request.startsWith('node:') ? request.slice('node:'.length) : builtins.has(request) ? request : undefined;
  return name !== undefined && !seen.modules.has(name) && !seen.modules.has(name.split('/')[0]);
};

// forItself says that Node or a library of the operator's requires a module, in whose text
// it says so. What the loader does on the way is nobody's.
const loader = /^node:(internal\/modules\/|diagnostics_channel$)/;
const forItself = () => {
  const s = frames().find((s) => { const file = fileOf(s); return file ? !loader.test(file) : lineOf(s) != null; });
  return s !== undefined && /require|load|import|getBuiltinModule/i.test(nameAt(s) ?? '');
};
const requires = (request) => sure('code.load', 'require', () => { asking(request); if (denies('code.load') && unseen(request) && !forItself()) fire('code.load', 'require'); });

// libraries says that a module of the operator's may have been imported, which imports others
// by itself: nobody can tell who asks for those.
let libraries = false;

// builtin is a module of Node's own as Node has it, whatever a program has put in the place of
// what loads it. synced has what was changed of one reach who imports it.
let builtin, synced;
const guardModules = () => {
  const { _load, syncBuiltinESMExports } = Module, { getBuiltinModule } = process;
  builtin = (name) => (getBuiltinModule ? apply(getBuiltinModule, process, [name]) : apply(_load, Module, [`node:${name}`, undefined, false]));
  synced = () => apply(syncBuiltinESMExports, Module, []);
  for (let i = 0; i < Module.builtinModules.length; i++) builtins.add(Module.builtinModules[i]);
  const load = Module._load, { prototype } = Module, { require } = prototype;
  const looks = new Proxy(load, { __proto__: null, apply: (_, self, args) => { requires(args[0]); return apply(load, self, args); } });
  // The loader itself gets what it had, so that no frame of ours is below those of a program.
  let loading = load;
  defineProperty(Module, '_load', {
    __proto__: null, configurable: false, enumerable: true, set(value) { loading = value; },
    get: () => (loading === load && !sure('code.load', 'require', () => loads(''), false) ? looks : loading),
  });
  // In the place of Node's own, which does the same and is at the same place in a stack. An
  // older Node has a line that can be told from its text.
  const asks = (name) => policy.on && typeof name === 'string' && name !== '' && (requires(name), true);
  const source = given.natives['internal/modules/cjs/loader'], at = source.indexOf('return Module._load(id, this, ');
  set(prototype, 'require', at > 0 ? given.requiring(...placeAt(source, at + 'return Module.'.length), asks, require, () => loading) :
    new Proxy(require, { __proto__: null, apply: (_, self, args) => { asks(args[0]); return apply(require, self, args); } }));
  const get = process.getBuiltinModule;
  if (get) set(process, 'getBuiltinModule', new Proxy(get, { __proto__: null, apply: (_, self, args) => { requires(args[0]); return apply(get, self, args); } }));
};

// ---- files as code, by the loader ----

// referred are the devices of files by reference, which are data.
const referred = new Set();
const refer = (devices) => { for (let i = 0; i < devices.length; i++) referred.add(devices[i]); };

// deviceOf is undefined where nobody can tell.
const deviceOf = (file) => { try { return stat(file)?.dev; } catch { return undefined; } };

// writable are the devices of what a program can write, looked up before it waits.
const writable = new Set();
const lookUp = () => {
  const root = deviceOf('/');
  writable.add(deviceOf(top));
  for (const place of scratch) {
    const dev = deviceOf(place);
    if (dev !== undefined && dev !== root) writable.add(dev);
  }
};

// guardFiles has node load, from what a program could have written, only the
// files that policy allowed as code, by what they are and not by what they are
// called, as they were judged. What comes with node, or is mounted by the
// operator, is loaded as ever. JSON is data. Where a run is only observed, files
// by reference alone are not loaded.
const guardFiles = () => {
  const refused = (file, why) => given.error(`${file} ${why}, so it is not loaded as code`, 'ERR_NOT_JUDGED');
  const textFor = (file) => { // undefined for what may be loaded as it is
    if (!isAbsolute(file)) return undefined;
    const dev = deviceOf(file);
    const inside = dev === undefined || writable.has(dev), byReference = dev === undefined ? referred.size > 0 : referred.has(dev);
    if (!byReference && (policy.observe || !inside)) return undefined;
    const text = dev === undefined ? undefined : judged.get(placeOf(file));
    if (text !== undefined) return text;
    if (denies('code.load')) fire('code.load', 'import');
    else report('v', 'code.load import');
    throw refused(file, 'was not judged');
  };
  // The loader looks what it found up in its cache, before it loads it.
  const guarded = (cache) => new Proxy(cache, { __proto__: null, get(cache, file, self) {
    const found = Reflect.get(cache, file, self);
    if (!policy.on || typeof file !== 'string') return found;
    if (builtins.has(file) && mayLoad('')) requires(file);
    if (found !== undefined || extname(file) === '.json' || !isAbsolute(file) || !mayLoad('')) return found;
    const text = textFor(file);
    if (text !== undefined && textOf(file) !== text) throw refused(file, 'is not what was judged');
    return found;
  } });
  let cache = guarded(Module._cache);
  defineProperty(Module, '_cache', { __proto__: null, configurable: false, enumerable: true, get: () => cache, set(value) { cache = guarded(value); } });
  if (given.registerHooks) {
    given.registerHooks({ load(place, context, next) {
      const loaded = next(place, context);
      if (!policy.on || !place.startsWith('file:') || loaded.format === 'json') return loaded;
      const text = textFor(fileURLToPath(place));
      return text === undefined ? loaded : { format: loaded.format, shortCircuit: true, source: text };
    } });
    return;
  }
  // An older node reads a module by what programs read files by, too. That is
  // much to load, and not there before the first module, or who asks for it, is.
  const pathname = getOwnPropertyDescriptor(URL.prototype, 'pathname').get;
  const source = (place) => {
    try {
      const file = fileURLToPath(place);
      return given.resolved(bytesOf((apply(pathname, place, []).endsWith('.json') ? undefined : textFor(file)) ?? read(file)));
    } catch (e) {
      return given.rejected(e);
    }
  };
  modules = () => {
    hold(apply(promises.get, fs, []), 'readFile', (_, own) => sure('code.load', 'import', () => (loads('esm/') ? source : own), own));
    modules = () => {};
  };
};

// ---- files as data ----

// Where what comes with Node and with libraries is, and no program writes.
const systems = ['/usr', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/node_modules', dirname(runner)];
const covers = (place, file) => (place.endsWith('*') ? file.startsWith(place.slice(0, -1)) : `${file}/`.startsWith(place.endsWith('/') ? place : `${place}/`));
const covered = (places, file) => places.some((place) => covers(place, file));

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

// looked is a path that a program may get at, as nobody changes it any more. Links in the
// places of the system are not the program's.
const looked = (file, event, to) => {
  if (typeof file === 'number' || file === undefined) return file; // what is open, or nothing
  const own = typeof file === 'string' ? file : new Uint8Array(file);
  if (typeof own === 'string' && !own.includes('/..') && covered(systems, own) && lends(event)) return own;
  const at = to(own);
  if (at !== undefined && !readable(at, event)) fire('filesystem.read', event);
  return own;
};

// looking stands for a function that gets at what is at a path, one of its arguments, and
// looks before that. Its errors tell nothing of us.
const looking = (target, event, to = arrives, nth = 0, pathOf = (file) => file) => new Proxy(target, { __proto__: null, apply: function look(_, self, args) {
  const own = [];
  for (let i = 0; i < args.length; i++) own[i] = args[i];
  if (denies('filesystem.read')) own[nth] = sure('filesystem.read', event, () => looked(pathOf(own[nth]), event, (file) => to(file, own)), own[nth]);
  try {
    return apply(target, self, own);
  } catch (e) {
    if (isNativeError(e)) captureStackTrace(e, look);
    throw e; // node-do-not-add-exception-line
  }
} });
const pathOf = (file) => (file === undefined || typeof file === 'string' || isUint8Array(file) ? file : fileURLToPath(apply(addresses.href, file, [])));
const looksAt = (holder, name, event, usual) => {
  if (typeof holder[name] === 'function') set(holder, name, looking(holder[name], event, arrives, 0, (file) => pathOf(file ?? usual)));
};

// oneByOne has Node copy a tree by functions that look at each thing in it, as it does where
// somebody filters them, and not by one in machine code that follows links.
const oneByOne = (holder, name) => {
  const target = holder[name];
  if (typeof target === 'function') set(holder, name, new Proxy(target, { __proto__: null, apply(_, self, args) {
    const own = [];
    for (let i = 0; i < args.length; i++) own[i] = args[i];
    if (denies('filesystem.read')) filter(own);
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

// guardPublic are those that read what is at a path by functions that nobody has but Node.
const guardPublic = () => {
  // By these Node itself reads modules: it has its own, whatever a program has put there.
  for (const name of ['readFileSync', 'realpathSync', 'openSync']) {
    const target = fs[name];
    hold(fs, name, (_, own) => (own === target || policy.observe || !sure('filesystem.read', 'fs.open', () => fileOf(caller())?.startsWith('node:'), true) ? own : target));
  }
  for (const name of ['cp', 'cpSync']) oneByOne(fs, name);
  for (const name of ['opendir', 'opendirSync', 'cp', 'cpSync']) looksAt(fs, name, 'fs.readdir');
  for (const name of ['openAsBlob', 'openAsBlobSync']) looksAt(fs, name, 'fs.open');
  looksAt(process, 'loadEnvFile', 'fs.open', '.env');
  looksAt(process, 'chdir', 'fs.stat');
  const get = new Proxy(promises.get, { __proto__: null, apply(own, self, args) { if (denies('filesystem.read')) guardPromises(); return apply(own, self, args); } });
  defineProperty(fs, 'promises', { __proto__: null, ...promises, get });
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
const promising = (request) => { if (denies('filesystem.read') && names(/^(?:node:)?fs\/promises$/, request)) guardPromises(); };
// asking looks at what a module brings that is much to load, when somebody asks for it.
const asking = (request) => { promising(request); parsing(request); threading(request); keying(request); engines(request); for (const look of late) look(request); };
// names says that a module may be asked for; what is no text can be another one each time.
const names = (pattern, request) => typeof request !== 'string' || pattern.test(request);

// The functions by which Node gets at what is at a path: what tells of them, where each comes
// to, and which argument the path is. All of Node calls them as members of one object. What a
// program cannot write to tells by how it fails whether something is there.
const opens = (file, args) => arrives(file) ?? (args[1] & O_CREAT ? leads(file) : undefined);
const makes = (file, args) => (args[2] ? arrives(file) ?? leads(file, true) : lies(file));
const copies = (file) => arrives(file) ?? leads(file, true);
const readers = [
  ['fs.open', opens, 0, 'open openFileHandle'],
  ['fs.open', arrives, 0, 'readFileUtf8 internalModuleReadJSON copyFile'],
  ['fs.open', comes, 0, 'writeFileUtf8'],
  ['fs.readdir', arrives, 0, 'readdir readdirRecursive opendir opendirSync cpSyncCopyDir'],
  ['fs.link', arrives, 0, 'link'],
  ['fs.stat', arrives, 0, 'stat access existsSync statfs realpath chmod chown utimes cpSyncCheckPaths cpSyncOverrideFile'],
  ['fs.stat', lies, 0, 'lstat readlink rename unlink rmdir rmSync mkdtemp lchown lutimes'],
  ['fs.stat', makes, 0, 'mkdir'],
  ['fs.stat', lies, 1, 'rename link symlink'],
  ['fs.stat', comes, 1, 'copyFile cpSyncOverrideFile'],
  ['fs.stat', copies, 1, 'cpSyncCopyDir cpSyncCheckPaths'],
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
  for (const [event, to, nth, all] of readers) for (const name of all.split(' ')) looks(files, name, event, to, nth);
  looks(files.ReadFileJob?.prototype, 'run', 'fs.open'); // of Node 26, which has taken them already
  looks(files.WriteFileJob?.prototype, 'run', 'fs.open', comes);
  for (const watcher of [files.StatWatcher, bindingOf('fs_event_wrap').FSEvent]) looks(watcher?.prototype, 'start', 'fs.stat');
};
// keepReaders leaves them there for whom that is denied. All others get back what stood there.
const keepReaders = () => {
  if (!denies('filesystem.read')) for (const [holder, name, own] of stood.reverse()) holder[name] = own;
  else if (process.moduleLoadList.some((name) => name.endsWith(' internal/fs/promises'))) guardPromises(); // and may be handed out already
};

// ---- the rest ----

// A thread is told what holds in it by a variable of its environment, which is made for
// it alone. Node passes that on without asking anything of the program's, so nobody sees
// it or changes it on the way, and nothing of it is left when the next one is made.
const mine = 'SALLYPORT_WORKER';
const told = (name) => { // and the variable is gone
  const text = given.env[name];
  delete given.env[name];
  return text;
};
const workerOptions = ['argv', 'eval', 'stdin', 'stdout', 'stderr', 'workerData', 'trackUnmanagedFds', 'transferList', 'resourceLimits', 'name'];

// guardWorkers returns what Node has for threads of its own module, and takes the place of
// the rest. It is much to load, so it waits until somebody asks for it. A thread that was made
// otherwise is told nothing, and ends.
let ofThreads;
const guardWorkers = () => {
  if (ofThreads) return ofThreads;
  const threads = builtin('worker_threads'), { Worker, SHARE_ENV, markAsUntransferable } = threads;
  const guarded = new Proxy(Worker, { __proto__: null, construct(_, args, to) {
    const above = to === guarded ? Worker : to;
    if (!policy.on) return construct(Worker, args, above);
    const given = sure('code.load', 'Worker', () => begun(args[0], args[1] ?? {}));
    if (given === undefined) fire('code.eval', 'Worker.eval');
    return construct(Worker, given ?? [], above);
  } });
  // begun is what a thread begins with: as this interpreter did, and not otherwise.
  const begun = (file, asks) => {
    guardHandles(Worker);
    const options = { __proto__: null };
    for (const name of workerOptions) {
      const value = asks[name];
      if (value !== undefined) options[name] = value;
    }
    if (options.eval) fire('code.eval', 'Worker.eval');
    const from = options.eval ? file : code(file);
    options.execArgv = ['-r', runner];
    options.env = environment(asks.env, options.eval || typeof from !== 'string');
    return [from, options];
  };
  // A thread that shares its parent's environment could not be told anything: it has a copy.
  const environment = (asked, text) => {
    const from = asked === undefined || asked === null || asked === SHARE_ENV ? given.env : asked;
    if (typeof from !== 'object') return from; // Node says what is wrong with it
    const env = { __proto__: null };
    for (const name of Reflect.ownKeys(from)) if (typeof name === 'string' && name !== 'NODE_OPTIONS') env[name] = `${from[name]}`;
    env[mine] = JSON.stringify({ key: [...key], denied: keys(policy.denied), lifted: keys(policy.lifted), observe: policy.observe, judged: [...judged], referred: [...referred].map(String), files: seen.files, harmless: seen.harmless, modules: [...seen.modules], text });
    return env;
  };
  // code is the file that a thread runs, by what is looked at here and by nothing else.
  const code = (file) => {
    if (typeof file !== 'string' && (typeof file !== 'object' || file === null)) return file; // Node says what is wrong with it
    let place = typeof file === 'string' ? file : apply(addresses.href, file, []);
    if (place.startsWith('data:')) fire('code.eval', 'Worker.eval');
    else if (place.startsWith('file:')) place = fileURLToPath(place);
    if (place.startsWith('.')) place = normalize(`${given.cwd()}/${place}`);
    if (!place.startsWith('data:') && !known(place)) fire('code.load', 'Worker');
    return typeof file === 'string' || isAbsolute(place) ? place : new URL(place);
  };
  set(Worker.prototype, 'constructor', guarded, { enumerable: false });
  set(threads, 'Worker', guarded);
  synced();
  return ofThreads = { __proto__: null, markAsUntransferable };
};
const threading = (request) => { if (names(/^(?:node:)?worker_threads$/, request)) guardWorkers(); };
const keys = (table) => getOwnPropertyNames(table);

// guardHandles keeps what Node makes threads of from whoever finds it behind a thread: one
// that Node refuses to make for its option has it, and shows it to nobody else.
let handled = false;
const guardHandles = (Worker) => {
  if (handled) return;
  let refused;
  const init = getOwnPropertyDescriptor(Emitter, 'init');
  set(Emitter, 'init', function () { refused = this; });
  try { construct(Worker, ['/', { __proto__: null, execArgv: ['--no-such-option'], env: { __proto__: null } }]); } catch {}
  defineProperty(Emitter, 'init', { __proto__: null, ...init });
  for (const name of Object.getOwnPropertySymbols(refused)) {
    const { value } = getOwnPropertyDescriptor(refused, name);
    if (typeof value?.startThread === 'function') handled = before(getPrototypeOf(value), 'constructor', 'code.load', 'Worker') !== undefined;
  }
  if (!handled) throw null;
};
const Emitter = require('events');

// guardNative has no program call what Node's own objects in machine code do with other
// objects: they take these for what Node gives them. Who finds one, behind a stream or by a
// hook of async_hooks, may call it with texts and numbers. Node itself calls some at every
// write: only who calls is told, and each place is looked at once.
let parsing;
const guardNative = () => {
  const looked = new Set([null, inherited]), honest = new Map();
  const nodes = (s, name) => {
    const place = `${fileOf(s)}:${apply(getPosition, s, [])}`;
    if (honest.get(place) === name) return true;
    const is = spelled([name, 'constructor'], s);
    if (is) honest.set(place, name);
    return is;
  };
  // A handle of TLS passes on what it is asked to the one below it: whoever asks that one calls.
  const passesOn = (s) => fileOf(s) === 'node:_tls_wrap' && spelled(['ReflectApply'], s);
  const asks = (name, args) => {
    if (!denies('native')) return;
    for (let i = 0; i < args.length; i++) {
      if (typeof args[i] !== 'function' && (typeof args[i] !== 'object' || args[i] === null)) continue;
      Error.stackTraceLimit = 4; // ours, that of what stands for it, and the one that calls
      const sites = new Error().stack;
      try { if (nodes(sites[2], name) || passesOn(sites[2]) && nodes(sites[3], name)) return; } catch {}
      return fire('native', 'handle');
    }
  };
  // What they go on writing to, by whoever's choice, stays where it is as long as they do.
  const kept = new WeakMap(), lent = new WeakSet();
  const typed = getPrototypeOf(Uint8Array.prototype), getterOf = (holder, name) => getOwnPropertyDescriptor(holder, name)?.get;
  const bufferOf = getterOf(typed, 'buffer'), lengthOf = getterOf(typed, 'length'), resizes = getterOf(ArrayBuffer.prototype, 'resizable');
  const keeps = (self, args) => {
    const numbers = [];
    for (let i = 0; i < args.length; i++) if (isUint32Array(args[i])) numbers.push(args[i]);
    for (const all of numbers) {
      const buffer = apply(bufferOf, all, []), shared = isSharedArrayBuffer(buffer);
      if (apply(lengthOf, all, []) < 2 || !shared && resizes !== undefined && apply(resizes, buffer, [])) fire('native', 'handle');
      if (!shared) guardWorkers().markAsUntransferable(buffer);
      lent.add(buffer);
    }
    kept.set(self, numbers);
  };
  for (const name of ['transfer', 'transferToFixedLength']) {
    const own = globals.ArrayBuffer.prototype[name];
    if (own) set(globals.ArrayBuffer.prototype, name, new Proxy(own, { __proto__: null, apply(_, self, args) { if (lent.has(self)) fire('native', 'handle'); return apply(own, self, args); } }), { enumerable: false });
  }
  // Many have the same names: the traps are made once for each.
  const traps = { __proto__: null }, standing = new WeakMap();
  const trapsOf = (name) => traps[name] ??= {
    __proto__: null,
    apply(target, self, args) { asks(name, args); if (name === 'init') keeps(self, args); return apply(target, self, args); },
    construct(target, args, to) { asks(name, args); return construct(target, args, to === standing.get(target) ? target : to); },
  };
  const guardObjects = (made) => {
    if (looked.has(made)) return;
    looked.add(made);
    for (const name of getOwnPropertyNames(made)) {
      if (name === 'onread') continue; // of what is no stream, it is whatever memory lies behind that
      const { value: target, ...how } = getOwnPropertyDescriptor(made, name);
      if (typeof target !== 'function') continue;
      const guarded = new Proxy(target, trapsOf(name));
      standing.set(target, guarded);
      set(made, name, guarded, how);
    }
    guardObjects(getPrototypeOf(made));
  };
  // Parsers of HTTP come with modules that are asked for by name. Node 24 shows them there alone.
  let parsers = false;
  parsing = (request) => {
    if (parsers || !denies('native') || !names(/^(?:node:)?_?http/, request)) return;
    parsers = true;
    guardObjects((bindingOf('http_parser').HTTPParser ?? require('_http_common').HTTPParser).prototype);
  };
  for (const name of ['zlib', 'js_stream', 'pipe_wrap', 'tty_wrap', 'tcp_wrap', 'tls_wrap', 'udp_wrap', 'fs']) {
    const part = bindingOf(name);
    for (const of of Object.keys(part)) {
      const made = typeof part[of] === 'function' ? part[of].prototype : undefined;
      if (made) guardObjects(made);
    }
  }
};

// guardKeys keeps that from being copied to another object by which Node tells a key: machine
// code takes what such an object has for the inside of a key. Node 24 tells them otherwise.
let keyed = false;
const guardKeys = () => {
  if (keyed || !denies('native') || policy.observe) return;
  keyed = true;
  const { createSecretKey, KeyObject } = builtin('crypto'), one = createSecretKey(new Uint8Array(1));
  for (const name of Object.getOwnPropertySymbols(one)) {
    if (!getOwnPropertyDescriptor(one, name).enumerable) continue;
    defineProperty(KeyObject.prototype, name, { __proto__: null, get() {}, set(value) { defineProperty(this, name, { __proto__: null, value }); } });
  }
};
const keying = (request) => { if (names(/^(?:node:)?crypto$/, request)) guardKeys(); };
const guardCrypto = () => {
  const how = getOwnPropertyDescriptor(globals, 'crypto');
  if (how?.get) defineProperty(globals, 'crypto', { __proto__: null, ...how, get: new Proxy(how.get, { __proto__: null, apply(target, self, args) { guardKeys(); return apply(target, self, args); } }) });
};

// engines has nobody load one of OpenSSL's, which is a file of machine code, by a module that takes its name.
const engine = (holder, names) => { for (const name of names) before(holder, name, 'native', 'crypto.setEngine'); };
let engined = false, secured = false;
const engines = (request) => {
  if (!denies('native')) return;
  if (!engined && names(/^(?:node:)?crypto$/, request)) {
    engined = true;
    engine(builtin('crypto'), ['setEngine']);
    synced();
  }
  if (!secured && names(/^(?:node:)?(?:_?tls|https$|http2$)/, request)) {
    secured = true;
    engine(getPrototypeOf(builtin('tls').createSecureContext({ ca: [] }).context), ['setClientCertEngine', 'setEngineKey']);
  }
};

// What comes with a module that is asked for late: files that machine code writes or opens,
// and libraries of machine code.
const lately = (pattern, capability, take) => {
  let taken = false;
  return (request) => {
    if (taken || !denies(capability) || !names(pattern, request)) return;
    taken = true;
    take();
    synced();
  };
};
const preopens = (options) => {
  for (let o = options; typeof o === 'object' && o !== null; o = getPrototypeOf(o)) if (isProxy(o) || getOwnPropertyDescriptor(o, 'preopens')) return true;
  return false;
};
const late = [
  lately(/^(?:node:)?v8$/, 'filesystem.read', () => { const v8 = builtin('v8'); set(v8, 'writeHeapSnapshot', looking(v8.writeHeapSnapshot, 'fs.open', comes, 0, pathOf)); }),
  lately(/^(?:node:)?wasi$/, 'filesystem.read', () => before(builtin('wasi'), 'WASI', 'filesystem.read', 'fs.open', (args) => preopens(args[0]))),
  lately(/^node:sqlite$/, 'native', () => {
    let sqlite;
    try { sqlite = builtin('node:sqlite'); } catch {} // an older node has none
    before(sqlite?.DatabaseSync?.prototype, 'loadExtension', 'native', 'process.dlopen');
  }),
];

// guardDecoders has a decoder show a copy of what it counts by: machine code believes that.
const guardDecoders = () => {
  const { prototype } = builtin('string_decoder').StringDecoder, how = getOwnPropertyDescriptor(prototype, 'lastChar');
  defineProperty(prototype, 'lastChar', { __proto__: null, ...how, get() { const shown = apply(how.get, this, []); return denies('native') && !policy.observe ? bytesOf(shown) : shown; } });
};

// Node loads what it reports of itself when somebody asks for it.
const guardEnvironment = () => {
  const { get } = getOwnPropertyDescriptor(process, 'report');
  let report;
  defineProperty(process, 'report', {
    __proto__: null, configurable: true, enumerable: true,
    get() {
      if (report !== undefined) return report;
      const own = apply(get, process, []);
      for (const name of ['getReport', 'writeReport']) before(own, name, 'environment', 'process.report');
      // When Node writes one by itself is set before.
      for (const name of getOwnPropertyNames(own)) {
        const how = getOwnPropertyDescriptor(own, name);
        if (!name.startsWith('reportOn') || !how.set) continue;
        defineProperty(own, name, { __proto__: null, ...how, set: wrap(how.set, 'environment', 'process.report', (args) => { if (args[0]) fire('environment', 'process.report'); }) });
      }
      return report = own;
    },
  });
};

// What names process.env in its own text, and is Node's or an operator's, has the
// environment. All else, and whatever it is given to, has what fires; but for a library
// that imports it as a name, and then names a variable.
const hideEnvironment = () => {
  if (!denies('environment')) return;
  const { env } = given;
  const named = (name) => { const s = caller(); return !fileOf(s)?.startsWith('node:') && spelled([name], s); };
  const looks = (name) => { if (!sure('environment', 'process.env', () => named(name), false)) fire('environment', 'process.env'); };
  // Who prints a proxy looks at what is behind it: nothing, and that fires as
  // well; a copy, where one looks on.
  const behind = { __proto__: { __proto__: getPrototypeOf(env), get [inspect.custom]() { fire('environment', 'process.env'); return undefined; } } };
  if (policy.observe) for (const name of Reflect.ownKeys(env)) behind[name] = env[name];
  const traps = { __proto__: null, getPrototypeOf: () => getPrototypeOf(env), setPrototypeOf: () => false, preventExtensions: () => false };
  traps.get = (_, name) => { looks(name); return env[name]; };
  traps.set = (_, name, value) => { looks(name); env[name] = value; if (policy.observe) behind[name] = env[name]; return true; };
  traps.deleteProperty = (_, name) => { looks(name); return delete behind[name] && delete env[name]; };
  traps.has = (_, name) => { looks(name); return name in env; };
  traps.ownKeys = () => { looks(); return Reflect.ownKeys(env); };
  traps.getOwnPropertyDescriptor = (_, name) => { looks(name); return getOwnPropertyDescriptor(env, name); };
  traps.defineProperty = (_, name, how) => { looks(name); return Reflect.defineProperty(env, name, how); };
  const hidden = new Proxy(behind, traps);
  let own = hidden;
  defineProperty(process, 'env', {
    __proto__: null, configurable: true, enumerable: true,
    get() {
      try { if (own === hidden && spelled(['env'])) return env; } catch {} // hidden says the rest
      return own;
    },
    set(value) { own = value; },
  });
};

const bindings = { __proto__: null, contextify: true, inspector: true, v8: true, worker: true };
const guardNode = (bare) => {
  before(process, 'dlopen', 'native', 'process.dlopen');
  for (const name of ['kill', '_kill', '_debugProcess']) before(process, name, 'signals', 'process.kill');
  before(process, 'abort', 'signals', 'process.abort');
  // The names of users and groups are looked up in files.
  const numbers = (arg) => typeof arg === 'number' || Array.isArray(arg) && !isProxy(arg) && keys(arg).every((i) => i === 'length' || numbers(getOwnPropertyDescriptor(arg, i).value));
  for (const name of ['setuid', 'seteuid', 'setgid', 'setegid', 'setgroups', 'initgroups']) before(process, name, 'filesystem.read', 'fs.open', (args) => !numbers(args));
  for (const name of ['binding', '_linkedBinding']) {
    before(process, name, 'introspection', 'process.binding', (args) => {
      if (spelled([name])) return false;
      if (typeof args[0] !== 'string' || bindings[args[0]]) fire('code.eval', 'vm');
      return true;
    });
  }
  if (bare) delete globals.WebAssembly;
  if (globals.WebAssembly) {
    for (const name of wasm.slice(0, 5)) before(globals.WebAssembly, name, 'native', 'WebAssembly', () => !parses());
    return;
  }
  // There is none. Who asks for it all the same is heard; Node's parser, which is loaded
  // with all that goes with HTTP, waits for it, and is not needed without a network.
  const none = () => {
    const parser = sure('native', 'WebAssembly', parses);
    if (!parser) fire('native', 'WebAssembly');
    else if (spelled(['compile', 'instantiate'])) return new Promised(() => {});
    throw given.error('WebAssembly is not there', 'ERR_WEBASSEMBLY_NOT_SUPPORTED');
  };
  set(globals, 'WebAssembly', given.functionsOf(wasm, none), { enumerable: false });
};

// guardMaps has Node read no map of a program's text, and no text that one names, from
// wherever it says, to tell of an error.
const guardMaps = () => {
  const leaves = (holder, name) => {
    const target = holder[name];
    if (typeof target === 'function') set(holder, name, new Proxy(target, { __proto__: null, apply: (_, self, args) => (denies('code.load') && !policy.observe ? undefined : apply(target, self, args)) }));
  };
  leaves(process, 'setSourceMapsEnabled');
  leaves(Module, 'setSourceMapsSupport');
};

// bindingOf is a part of Node in machine code; nothing where Node shows none of it.
const bindingOf = (name) => { try { return given.binding(name); } catch { return {}; } };

// guardKernel has the hooks see what the kernel refuses, too, and who answers signals.
// Nobody takes the one away that ends a run.
const guardKernel = () => {
  before(bindingOf('process_wrap').Process?.prototype, 'spawn', 'process', 'child_process.spawn');
  before(bindingOf('spawn_sync'), 'spawn', 'process', 'child_process.spawnSync');
  const tcp = bindingOf('tcp_wrap').TCP?.prototype, udp = bindingOf('udp_wrap').UDP?.prototype;
  for (const name of ['connect', 'connect6', 'bind', 'bind6', 'listen']) before(tcp, name, 'network', `tcp.${name}`);
  for (const name of ['bind', 'bind6', 'connect', 'connect6', 'send', 'send6']) before(udp, name, 'network', `udp.${name}`);
  before(bindingOf('cares_wrap'), 'getaddrinfo', 'network', 'dns.lookup');
  // A socket with a path is made where nothing is. Older ones take only the beginning of a long one.
  const pipe = bindingOf('pipe_wrap').Pipe?.prototype, brief = (file) => { if (file.length > 100) throw null; return file; };
  if (pipe) for (const [name, to, nth] of [['bind', lies, 0], ['connect', arrives, 1]]) set(pipe, name, looking(pipe[name], 'fs.stat', to, nth, brief));
  const signals = bindingOf('signal_wrap').Signal?.prototype, start = signals?.start;
  const answers = (name) => { fire('signals', 'process.on'); return name === SIGSYS || name === 'SIGSYS'; };
  if (start) set(signals, 'start', new Proxy(start, { __proto__: null, apply: (_, self, args) => (answers(args[0]) ? 0 : apply(start, self, args)) }));
  else if (isMainThread) { // Node 24 gives that to nobody: what it does when somebody listens
    const heard = process.listeners('newListener').find((f) => f.name === 'startListeningIfSignal');
    process.removeListener('newListener', heard);
    const { signals } = given.binding('constants').os, named = (name) => typeof name === 'string' && getOwnPropertyDescriptor(signals, name) !== undefined;
    process.prependListener('newListener', new Proxy(heard, { __proto__: null, apply: (_, self, args) => (named(args[0]) && answers(args[0]) ? undefined : apply(heard, self, args)) }));
  }
};

// freezeRealm freezes what this file uses of its realm: an error that a program
// provokes in here is of this realm, and leads to its built-in objects.
const freezeRealm = () => {
  const used = [Object, Function, Array, Map, Set, String, Number, RegExp, Symbol, Proxy, Error, RangeError, TypeError, SyntaxError, ReferenceError, URIError, EvalError, Reflect, Uint8Array, getPrototypeOf(Uint8Array)];
  defineProperty(Error, 'prepareStackTrace', { __proto__: null, writable: false });
  for (const thing of used) {
    if (thing === Error) seal(thing); // but for the limit of its stack
    else freeze(thing);
    if (thing.prototype) freeze(thing.prototype);
  }
  for (const thing of [[][Symbol.iterator](), new Map().entries(), new Set().values(), ''[Symbol.iterator](), /x/[Symbol.matchAll]('')]) {
    for (let proto = getPrototypeOf(thing); proto !== null; proto = getPrototypeOf(proto)) freeze(proto);
  }
  freeze(site);
};

// guard takes every place; nothing is stopped until begin. With bare there is no
// WebAssembly afterwards.
const guard = (bare) => {
  if (isMainThread) makeKey(); // a thread is told it
  lookAtPaths();
  lookUp();
  guardPaths();
  guardModules();
  guardPublic();
  guardKernel();
  guardNative();
  guardCrypto();
  guardDecoders();
  guardText();
  guardCompile();
  guardSource();
  guardURLs();
  guardMaps();
  guardFiles();
  guardReaders();
  guardEnvironment();
  guardNode(bare);
  Module.syncBuiltinESMExports();
  freezeRealm();
};

// enforce has the hooks mean it, from now on.
const enforce = (denied, lifted, observe) => {
  for (let i = 0; i < denied.length; i++) policy.denied[denied[i]] = true;
  for (let i = 0; i < lifted.length; i++) policy.lifted[lifted[i]] = true;
  policy.observe = observe;
  policy.on = true;
  guardEval();
  hideEnvironment();
  keepReaders();
};

// begin gives the key to the host while nobody else can write.
const begin = (denied, lifted, observe) => {
  tell(new Uint8Array(frameOf('k', key)));
  enforce(denied, lifted, observe);
};

const judge = (file, text) => judged.set(file, text);

// rehearse has load load a file as a program is loaded with the hooks on, and takes all of
// it back: what has run once is quick to run again.
const rehearse = (file, text, load) => {
  const taken = [[globals, 'eval'], [process, 'env']].map(([holder, name]) => [holder, name, getOwnPropertyDescriptor(holder, name)]);
  judge(file, text);
  see([file], [file], ['fs']);
  enforce(['code.eval', 'code.load', 'environment', 'filesystem.read', 'introspection', 'native', 'network', 'process', 'signals'], [], false);
  load();
  policy.on = false;
  for (const kind of keys(policy.denied)) delete policy.denied[kind];
  for (const [holder, name, how] of taken) defineProperty(holder, name, how);
  judged.clear();
};

// runsFile has a thread that was given a file run one: what Node tells it to run comes by
// a port that the program may have got hold of, and can be a text.
const runsFile = () => {
  const { runMain } = Module;
  let runs = false;
  set(Module, 'runMain', (...args) => {
    set(Module, 'runMain', runMain);
    runs = true;
    return apply(runMain, Module, args);
  });
  Promise.resolve().then(() => { if (!runs) fire('code.eval', 'Worker.eval'); }); // before a module of text is run
};

// inWorker takes on in a thread what the thread that started it told it. One that Node
// makes for itself, for the hooks of a loader, begins as the process did and is told
// nothing; any other must have been told.
const inWorker = () => {
  const text = told(mine);
  if (text === undefined) {
    if (process.execArgv[1] !== runner) return;
    policy.on = policy.denied['code.load'] = true;
    fire('code.load', 'Worker');
  }
  const was = JSON.parse(text);
  key.set(was.key);
  for (const [file, text] of was.judged) judge(file, text);
  refer(was.referred.map(BigInt));
  see(was.files, was.harmless, was.modules);
  guard(!was.observe && was.denied.includes('native') && was.denied.includes('network'));
  enforce(was.denied, was.lifted, was.observe);
  if (!was.text) runsFile();
};

return { guard, begin, judge, refer, see, rehearse, guardPromises, guardWorkers, inWorker, again: () => events.clear() };
})
