// The hooks that end a JavaScript program at what policy denied. This runs in a
// realm of its own: its Array, Map, Error and all the rest are not those that
// the program can change, no code can be made of text in it, and all of it is
// frozen before there is a program. What it takes from the program's realm it
// takes now, and calls by its own Reflect.apply. inside.cjs compiles it, with
// what is in the next line.
'use strict';
const { globals, require, process, top, runner } = given;

const { freeze, defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames, getPrototypeOf, setPrototypeOf } = Object;
const { apply, construct } = Reflect;
const fs = require('fs'), path = require('path'), Module = require('module'), vm = require('vm'), threads = require('worker_threads');
const url = require('url'), util = require('util');
const { openSync, readSync, closeSync, writeSync, statSync, realpathSync } = fs;
const real = realpathSync.native;
const { isAbsolute, extname, normalize } = path;
const { fileURLToPath } = url, { isProxy } = util.types, { inspect } = util;
const { URL, Buffer } = globals;
const bytesOf = Buffer.from, { utf8Slice } = Buffer.prototype;
const { _kill: kill, reallyExit, pid } = process;
const SIGKILL = 9, SIGSYS = 31;

// ---- what is denied ----

const policy = { __proto__: null, on: false, observe: false, denied: { __proto__: null }, lifted: { __proto__: null } };
const judged = new Map(); // the text of each file that may be loaded as code
const told = new Set(); // events that did not end the run

const denies = (kind) => policy.on && policy.denied[kind] === true;

// ---- who asks ----

// The stack is that of this realm's Error, whose limit and whose way of telling
// no program can change.
Error.stackTraceLimit = 30;
Error.prepareStackTrace = (_, sites) => sites;
const site = getPrototypeOf(new Error().stack[0]);
const { getFileName, getFunctionName, getLineNumber } = site;
const ownFile = apply(getFileName, new Error().stack[0], []);
const fileOf = (s) => s && apply(getFileName, s, []);
const lineOf = (s) => apply(getLineNumber, s, []);

// frames are those of the program's stack, without our own.
const frames = () => {
  const sites = new Error().stack;
  const all = [];
  for (let i = 0; i < sites.length; i++) if (fileOf(sites[i]) !== ownFile && fileOf(sites[i]) !== runner) all.push(sites[i]);
  return all;
};

const written = (file) => file.startsWith(`${top}/`) || file.startsWith('/tmp/') || file.startsWith('/var/tmp/') || file.startsWith('/dev/shm/');
const ours = (file) => file.startsWith(`${top}/`) || file.startsWith(`file://${top}/`);

// asker is the file that asks. What V8 itself does on the way, without a line,
// is nobody's.
const asker = () => fileOf(frames().find((s) => fileOf(s) || lineOf(s) != null)) || '';

// asked says whether no part of node, and no library of the operator's, asks.
const asked = () => {
  const file = asker();
  return file === '' || ours(file) || written(file);
};
const loads = (part) => (fileOf(frames()[0]) ?? '').startsWith(`node:internal/modules/${part}`);

// ofUtil says whether vm makes the realm that Node itself wants when the first
// stream has come to its end. Everything else that Node calls may be called on
// behalf of the program, as what util.promisify returns.
const ofUtil = () => {
  const s = frames().find((s) => fileOf(s) !== 'node:vm');
  return fileOf(s) === 'node:internal/util' && apply(getFunctionName, s, []) === 'getInternalGlobal';
};

// parses says whether who asks is the parser of a client of HTTP: that of Node,
// or of the same package where the operator has it beside.
const parses = () => {
  const file = fileOf(frames()[0]) ?? '';
  return file.startsWith('node:internal/deps/') || !asked() && file.endsWith('/node_modules/undici/lib/dispatcher/client-h1.js');
};

const line = () => {
  const s = frames().find((s) => ours(fileOf(s) ?? ''));
  return s === undefined ? 0 : lineOf(s) ?? 0;
};

// ---- what comes of it ----

const report = (tag, body) => {
  try { writeSync(102, `${tag}\0\0\0${String.fromCharCode(body.length)}${body}`, null, 'latin1'); } catch {} // it closed its ears
};

// fire ends the run, or only tells, where the capability is denied. A worker
// cannot end its process otherwise than by a signal.
const fire = (kind, event) => {
  if (!denies(kind) || policy.lifted[event] === true) return;
  if (policy.observe) {
    if (!told.has(event)) report('v', `${kind} ${event} ${line()}`);
    told.add(event);
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

// ---- taking the place of functions ----

const set = (holder, name, value, how) => defineProperty(holder, name, { __proto__: null, configurable: true, enumerable: true, writable: true, value, ...how });

// wrap returns what stands for a function from now on. To V8 and to the program
// it is the function itself: its prototype, its name, its text.
const wrap = (target, look) => {
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
  const wrapped = wrap(target, (args) => { if (when(args)) fire(kind, event); });
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
  setPrototypeOf(Script, wrap(base, () => { if (!ofUtil()) fire('code.eval', 'vm'); }));
  for (const name of ['Script', 'createScript', 'compileFunction', 'createContext', 'runInContext', 'runInNewContext', 'runInThisContext', 'SourceTextModule']) {
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
    get() { if (asked()) fire('code.eval', 'eval'); return own; },
    set(value) { set(globals, 'eval', value, { enumerable: false }); },
  });
};

// ---- files as code ----

// read returns the text of a file. Node's own readFileSync asks for functions of fs
// and for properties of buffers that a program may change.
const read = (file) => {
  const fd = openSync(file);
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
const placeOf = (file) => { try { return real(file); } catch { return file; } };

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
  const looks = wrap(compile, (args) => {
    if (!policy.on || typeof args[1] !== 'string') return;
    const file = placeOf(args[1]), loading = loads('cjs/loader');
    if ((loading || written(file)) && textFor(file) === args[0]) return;
    const read = loading && stripped(textOf(file)) === args[0];
    fire(read ? 'code.load' : 'code.eval', read ? 'import' : 'Module._compile');
  });
  // What is put around each module may be changed.
  const { wrap: around, wrapper } = Module, first = wrapper[0], last = wrapper[1];
  const plain = () => Module.wrap === around && Module.wrapper === wrapper && wrapper[0] === first && wrapper[1] === last;
  hold(prototype, '_compile', (module, own) => {
    if (loads('cjs/loader') && !plain()) fire('code.eval', 'Module._compile');
    if (own !== compile || !denies('code.eval') && !denies('code.load')) return own;
    const name = isProxy(module) ? undefined : getOwnPropertyDescriptor(module, 'filename')?.value;
    if (typeof name !== 'string' || !loads('cjs/loader')) return looks;
    const file = placeOf(name), text = textFor(file);
    if (text === undefined || !known(file)) return looks;
    return policy.observe ? compile : apply(bind, compile, [module, text, name]);
  });
};

// modules has what an older node reads modules by be ours, before it has read one.
let modules = () => {};

// guardURLs sees what the loader of ES modules loads: it asks each URL for its
// protocol, and has no other entry that is ours to take.
const guardURLs = () => {
  const how = getOwnPropertyDescriptor(URL.prototype, 'protocol');
  const [href, pathname] = ['href', 'pathname'].map((name) => getOwnPropertyDescriptor(URL.prototype, name).get);
  defineProperty(URL.prototype, 'protocol', {
    __proto__: null, configurable: false, enumerable: true, set: how.set,
    get() {
      const protocol = apply(how.get, this, []);
      if (!policy.on || protocol !== 'data:' && protocol !== 'file:' || !loads('esm/')) return protocol;
      modules();
      if (protocol === 'data:') fire('code.eval', 'import.data');
      if (protocol === 'file:' && written(apply(href, this, []).slice('file://'.length))) {
        let file = '';
        try { file = decodeURIComponent(apply(pathname, this, [])); } catch {}
        if (!known(file) && isFile(file) && !file.endsWith('.json')) fire('code.load', 'import');
      }
      return protocol;
    },
  });
};

const isFile = (file) => { try { return apply(isRegular, statSync(file), []); } catch { return false; } };
const isRegular = fs.Stats.prototype.isFile;
// referred are the devices of files by reference, which are data.
const referred = new Set();
const refer = (devices) => { for (let i = 0; i < devices.length; i++) referred.add(devices[i]); };

const deviceOf = (file) => { try { return statSync(file, { __proto__: null, bigint: true }).dev; } catch { return undefined; } };

// writable are the devices of what a program can write, looked up before it waits.
const writable = new Set();
const lookUp = () => {
  const root = deviceOf('/');
  writable.add(deviceOf(top));
  for (const place of ['/tmp', '/var/tmp', '/dev/shm']) {
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
  const sourceOf = (file) => { // undefined for what may be loaded as it is
    const dev = isAbsolute(file) ? deviceOf(file) : undefined;
    if ((policy.observe || !writable.has(dev)) && !referred.has(dev)) return undefined;
    const text = judged.get(real(file));
    if (text !== undefined) return text;
    if (denies('code.load')) fire('code.load', 'import');
    else report('v', 'code.load import');
    throw refused(file, 'was not judged');
  };
  // The loader looks a file that it found up in its cache, before it loads it.
  Module._cache = new Proxy(Module._cache, { __proto__: null, get(cache, file, self) {
    const found = Reflect.get(cache, file, self);
    if (!policy.on || found !== undefined || typeof file !== 'string' || extname(file) === '.json' || !isAbsolute(file) || !loads('')) return found;
    const text = sourceOf(file);
    if (text !== undefined && textOf(file) !== text) throw refused(file, 'is not what was judged');
    return found;
  } });
  if (given.registerHooks) {
    given.registerHooks({ load(place, context, next) {
      const loaded = next(place, context);
      if (!policy.on || !place.startsWith('file:') || loaded.format === 'json') return loaded;
      const text = sourceOf(fileURLToPath(place));
      return text === undefined ? loaded : { format: loaded.format, shortCircuit: true, source: text };
    } });
    return;
  }
  // An older node reads a module by what programs read files by, too. That is
  // much to load, and not there before the first module, or who asks for it, is.
  const { get } = getOwnPropertyDescriptor(fs, 'promises');
  const pathname = getOwnPropertyDescriptor(URL.prototype, 'pathname').get;
  const source = (place) => {
    try {
      const file = fileURLToPath(place);
      return given.resolved(bytesOf((apply(pathname, place, []).endsWith('.json') ? undefined : sourceOf(file)) ?? read(file)));
    } catch (e) {
      return given.rejected(e);
    }
  };
  modules = () => {
    hold(apply(get, fs, []), 'readFile', (_, own) => (loads('esm/') ? source : own));
    modules = () => {};
  };
};

// ---- the rest ----

const guardWorkers = () => {
  const { Worker, SHARE_ENV } = threads;
  const href = getOwnPropertyDescriptor(URL.prototype, 'href').get;
  const guarded = new Proxy(Worker, { __proto__: null, construct(_, args, to) {
    if (!policy.on) return construct(Worker, args, to === guarded ? Worker : to);
    const asks = args[1] ?? {}, options = { __proto__: null };
    for (const name of ['argv', 'env', 'eval', 'stdin', 'stdout', 'stderr', 'workerData', 'trackUnmanagedFds', 'transferList', 'resourceLimits', 'name']) {
      const value = asks[name];
      if (value !== undefined) options[name] = value;
    }
    // A worker starts as this interpreter did, and not otherwise.
    options.execArgv = ['-r', runner];
    if (typeof options.env === 'object' && options.env !== null) {
      const env = { __proto__: null };
      for (const name of Reflect.ownKeys(options.env)) if (typeof name === 'string' && name !== 'NODE_OPTIONS') env[name] = `${options.env[name]}`;
      options.env = env;
    }
    delete given.env.NODE_OPTIONS;
    let file = args[0];
    if (options.eval) {
      fire('code.eval', 'Worker.eval');
    } else {
      let place;
      try { place = typeof file === 'string' ? file : apply(href, file, []); } catch { place = `${file?.href}`; }
      if (place.startsWith('data:')) fire('code.eval', 'Worker.eval');
      if (place.startsWith('file:')) place = fileURLToPath(place);
      if (place.startsWith('.')) place = normalize(`${given.cwd()}/${place}`);
      if (typeof file === 'string' || isAbsolute(place)) file = place;
      if (!known(place)) fire('code.load', 'Worker');
    }
    handed('set', { denied: keys(policy.denied), lifted: keys(policy.lifted), observe: policy.observe, judged: [...judged], referred: [...referred] });
    try {
      return construct(Worker, [file, options], to === guarded ? Worker : to);
    } finally {
      handed('set', undefined);
    }
  } });
  set(Worker.prototype, 'constructor', guarded, { enumerable: false });
  set(threads, 'Worker', guarded);
  // What a worker is told by its parent is not the program's.
  for (const name of ['setEnvironmentData', 'getEnvironmentData']) {
    const target = threads[name];
    set(threads, name, new Proxy(target, { __proto__: null, apply: (_, self, args) => (args[0] === mine ? undefined : apply(target, self, args)) }));
  }
};
const keys = (table) => getOwnPropertyNames(table);
const mine = 'sallyport';
const { setEnvironmentData, getEnvironmentData } = threads;
const handed = (how, value) => (how === 'set' ? setEnvironmentData(mine, value) : getEnvironmentData(mine));

// Node loads what it reports of itself when somebody asks for it.
const guardEnvironment = () => {
  const { get } = getOwnPropertyDescriptor(process, 'report');
  let report;
  defineProperty(process, 'report', {
    __proto__: null, configurable: true, enumerable: true,
    get() {
      if (report !== undefined) return report;
      const own = apply(get, process, []);
      before(own, 'getReport', 'environment', 'process.report');
      before(own, 'writeReport', 'environment', 'process.report');
      return report = own;
    },
  });
};

// Node reads a variable by itself here and there; all of them it lists only for
// somebody.
const hideEnvironment = () => {
  if (!denies('environment')) return;
  const { env } = given;
  const looks = (all) => { if (asked() || all && !/^node:(child_process|internal\/(child_process|worker))/.test(asker())) fire('environment', 'process.env'); };
  // Who prints a proxy looks at what is behind it: nothing, and that fires as
  // well; a copy, where one looks on.
  const behind = { __proto__: { __proto__: getPrototypeOf(env), get [inspect.custom]() { fire('environment', 'process.env'); return undefined; } } };
  if (policy.observe) for (const name of Reflect.ownKeys(env)) behind[name] = env[name];
  const traps = { __proto__: null, getPrototypeOf: () => getPrototypeOf(env), setPrototypeOf: () => false, preventExtensions: () => false };
  traps.get = (_, name) => { looks(false); return env[name]; };
  traps.set = (_, name, value) => { env[name] = value; if (policy.observe) behind[name] = env[name]; return true; };
  traps.deleteProperty = (_, name) => delete behind[name] && delete env[name];
  traps.has = (_, name) => { looks(false); return name in env; };
  traps.ownKeys = () => { looks(true); return Reflect.ownKeys(env); };
  traps.getOwnPropertyDescriptor = (_, name) => { looks(false); return getOwnPropertyDescriptor(env, name); };
  traps.defineProperty = (_, name, how) => Reflect.defineProperty(env, name, how);
  set(process, 'env', new Proxy(behind, traps));
};

const bindings = { __proto__: null, contextify: true, inspector: true, v8: true, worker: true };
const guardNode = (bare) => {
  before(process, 'dlopen', 'native', 'process.dlopen');
  for (const name of ['binding', '_linkedBinding']) {
    before(process, name, 'introspection', 'process.binding', (args) => {
      if (!asked()) return false;
      if (bindings[`${args[0]}`]) fire('code.eval', 'vm');
      return true;
    });
  }
  const makes = ['compile', 'instantiate', 'compileStreaming', 'instantiateStreaming', 'Module', 'Instance', 'Memory', 'Table', 'Global'];
  if (bare) delete globals.WebAssembly;
  if (globals.WebAssembly) {
    for (const name of makes.slice(0, 5)) before(globals.WebAssembly, name, 'native', 'WebAssembly', () => !parses());
    return;
  }
  // There is none. Who asks for it all the same is heard.
  const none = () => { if (!parses()) fire('native', 'WebAssembly'); throw given.error('WebAssembly is not there', 'ERR_WEBASSEMBLY_NOT_SUPPORTED'); };
  set(globals, 'WebAssembly', given.functionsOf(makes, none), { enumerable: false });
};

// guardKernel has the hooks see what the kernel refuses, too. Nobody takes the
// signal away that ends a run.
const guardKernel = () => {
  const part = (name) => { try { return given.binding(name); } catch { return {}; } };
  before(part('process_wrap').Process?.prototype, 'spawn', 'process', 'child_process.spawn');
  before(part('spawn_sync'), 'spawn', 'process', 'child_process.spawnSync');
  const tcp = part('tcp_wrap').TCP?.prototype, udp = part('udp_wrap').UDP?.prototype;
  for (const name of ['connect', 'connect6', 'bind', 'bind6', 'listen']) before(tcp, name, 'network', `tcp.${name}`);
  for (const name of ['bind', 'bind6', 'connect', 'connect6', 'send', 'send6']) before(udp, name, 'network', `udp.${name}`);
  before(part('cares_wrap'), 'getaddrinfo', 'network', 'dns.lookup');
  const signals = part('signal_wrap').Signal?.prototype, start = signals?.start;
  if (start) set(signals, 'start', new Proxy(start, { __proto__: null, apply: (_, self, args) => (args[0] === SIGSYS ? 0 : apply(start, self, args)) }));
  else if (threads.isMainThread) { // Node 24 gives that to nobody: what it does when somebody listens
    const heard = process.listeners('newListener').find((f) => f.name === 'startListeningIfSignal');
    process.removeListener('newListener', heard);
    process.prependListener('newListener', new Proxy(heard, { __proto__: null, apply: (_, self, args) => (args[0] === 'SIGSYS' ? undefined : apply(heard, self, args)) }));
  }
};

// freezeRealm freezes what this file uses of its realm: an error that a program
// provokes in here is of this realm, and leads to its built-in objects.
const freezeRealm = () => {
  const used = [Object, Function, Array, Map, Set, String, Number, RegExp, Symbol, Proxy, Error, RangeError, TypeError, SyntaxError, ReferenceError, URIError, EvalError, Reflect];
  for (const thing of used) {
    freeze(thing);
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
  lookUp();
  guardPaths();
  guardKernel();
  guardText();
  guardCompile();
  guardURLs();
  guardFiles();
  guardWorkers();
  guardEnvironment();
  guardNode(bare);
  Module.syncBuiltinESMExports();
  freezeRealm();
};

// begin has the hooks mean it, from now on.
const begin = (denied, lifted, observe) => {
  for (let i = 0; i < denied.length; i++) policy.denied[denied[i]] = true;
  for (let i = 0; i < lifted.length; i++) policy.lifted[lifted[i]] = true;
  policy.observe = observe;
  policy.on = true;
  guardEval();
  hideEnvironment();
};

const judge = (file, text) => judged.set(file, text);

// rehearse has load load a file as a program is loaded with the hooks on, and takes all of
// it back: what has run once is quick to run again.
const rehearse = (file, text, load) => {
  const taken = [[globals, 'eval'], [process, 'env']].map(([holder, name]) => [holder, name, getOwnPropertyDescriptor(holder, name)]);
  judge(file, text);
  begin(['code.eval', 'code.load', 'environment'], [], false);
  load();
  policy.on = false;
  for (const kind of keys(policy.denied)) delete policy.denied[kind];
  for (const [holder, name, how] of taken) defineProperty(holder, name, how);
  judged.clear();
};

// inWorker takes on in a thread what the thread that started it was told.
const inWorker = () => {
  const was = handed('get');
  if (!was) return;
  for (const [file, text] of was.judged) judge(file, text);
  refer(was.referred);
  guard(!was.observe && was.denied.includes('native') && was.denied.includes('network'));
  begin(was.denied, was.lifted, was.observe);
};

return { guard, begin, judge, refer, rehearse, inWorker, again: () => told.clear() };
