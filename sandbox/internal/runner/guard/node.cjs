// What Node has besides: objects in machine code, keys, the environment, bindings, what the kernel refuses.

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
  // A stream of zlib has a thread work on a piece, and tells of its end by a function that it is given at first. The
  // buffer to which the thread writes only a member of the stream holds besides; what it counts by is freed where the
  // stream is made another meanwhile.
  const lasting = new WeakMap(), working = new WeakSet();
  const ends = (f) => (typeof f === 'function' ? new Proxy(f, { __proto__: null, apply(_, self, args) { working.delete(self); return apply(f, self, args); } }) : f);
  const waits = (self) => { if (working.has(self)) fire('native', 'handle'); };
  // A stream that gets other parameters writes what is left to where it wrote last.
  const stays = (self, args) => denies('native') && !policy.observe && kept.has(self) && lasting.set(self, args);
  const compressing = {
    __proto__: null, reset: waits, params: waits,
    init(self, args) {
      waits(self);
      keeps(self, args);
      for (let i = 0; i < args.length; i++) args[i] = ends(args[i]);
    },
    write(self, args) { if (stays(self, args)) working.add(self); },
    writeSync: stays,
  };
  // What is written from, or read into, the kernel or a thread may be busy with after the call. Node holds the list that
  // it was given, which a program may empty meanwhile, or has it held by a member of what asks.
  const isObject = (v) => typeof v === 'object' && v !== null, goesOn = { __proto__: null, writev: true, writeBuffer: true };
  const copied = (list) => {
    if (!Array.isArray(list)) return list;
    const all = [];
    for (let i = 0; i < list.length; i++) all[i] = list[i];
    return all;
  };
  // What asks is given, or else is what the call gives: a promise, or in Node 24 a request.
  const holds = (own, self, args, asks) => {
    if (!denies('native') || policy.observe) return apply(own, self, args);
    args[1] = copied(args[1]);
    const told = apply(own, self, args), by = isObject(asks) ? asks : told;
    if (isObject(by)) lasting.set(by, args[1]);
    return told;
  };
  for (const [name, nth] of [['read', 5], ['readBuffers', 3], ['writeBuffer', 5], ['writeBuffers', 3]]) { // nobody asks there who waits
    const own = files[name];
    if (own) set(files, name, new Proxy(own, { __proto__: null, apply: (_, self, args) => holds(own, self, args, args[nth]) }));
  }
  for (const name of ['transfer', 'transferToFixedLength']) {
    const own = globals.ArrayBuffer.prototype[name];
    if (own) set(globals.ArrayBuffer.prototype, name, new Proxy(own, { __proto__: null, apply(_, self, args) { if (lent.has(self)) fire('native', 'handle'); return apply(own, self, args); } }), { enumerable: false });
  }
  // Many have the same names: the traps are made once for each.
  const traps = { __proto__: null }, standing = new WeakMap();
  const trapsOf = (name) => traps[name] ??= {
    __proto__: null,
    apply(target, self, args) { asks(name, args); compressing[name]?.(self, args); return goesOn[name] ? holds(target, self, args, args[0]) : apply(target, self, args); },
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
  guardLengths(one);
};

// guardLengths has a key stay what it says that it is while it encrypts: machine code reads as many bytes as its
// algorithm, an object that a program may change, says. Node 24 asks another.
const guardLengths = (secret) => {
  const { prototype } = builtin('crypto').webcrypto.subtle.constructor;
  const { get: sizeOf } = getOwnPropertyDescriptor(getPrototypeOf(secret), 'symmetricKeySize');
  const own = (key, of) => { for (const name of Object.getOwnPropertySymbols(key)) if (name.description === of) return name; };
  const settle = (key) => {
    if ((typeof key !== 'object' && typeof key !== 'function') || key === null) return;
    if (isProxy(key)) fire('native', 'handle');
    const holds = own(key, 'kKeyObject'), says = own(key, 'kAlgorithm');
    if (!holds || !says) {
      for (let o = getPrototypeOf(key); o !== null; o = getPrototypeOf(o)) if (isProxy(o) || own(o, 'kKeyObject')) fire('native', 'handle');
      return;
    }
    const { value: algorithm } = getOwnPropertyDescriptor(key, says), { value: object } = getOwnPropertyDescriptor(key, holds), shown = getOwnPropertyDescriptor(key, 'algorithm');
    try {
      freeze(algorithm);
      const { value: name } = getOwnPropertyDescriptor(algorithm, 'name'), length = getOwnPropertyDescriptor(algorithm, 'length')?.value;
      if ((!shown || shown.value === algorithm) && (!/^AES/i.test(name) || apply(sizeOf, object, []) * 8 === length)) {
        defineProperty(key, holds, { __proto__: null, value: object, writable: false, configurable: false });
        defineProperty(key, 'algorithm', { __proto__: null, value: algorithm, writable: false, configurable: false });
        return;
      }
    } catch {}
    fire('native', 'handle');
  };
  for (const name of ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey']) {
    const target = prototype[name];
    set(prototype, name, new Proxy(target, { __proto__: null, apply(_, self, args) { for (let i = 1; i < 3; i++) settle(args[i]); return apply(target, self, args); } }));
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
const lately = (pattern, capabilities, take) => {
  let taken = false;
  return (request) => {
    if (taken || !capabilities.some(denies) || !names(pattern, request)) return;
    taken = true;
    take();
    synced();
  };
};
const preopens = (options) => {
  for (let o = options; typeof o === 'object' && o !== null; o = getPrototypeOf(o)) if (isProxy(o) || getOwnPropertyDescriptor(o, 'preopens')) return true;
  return false;
};
// stores says that a database comes to be in a file that the text of the program does not name.
const stores = (file) => {
  if (file === ':memory:' || file === '') return false;
  if (typeof file !== 'string' || file.startsWith('file:')) return true; // which may say more
  const at = comes(file);
  // SQLite leaves out .. and the directory before it, whether that is there or not.
  return at === undefined ? file.includes('..') || file.length >= longest : !changeable(at);
};
const late = [
  // What Node writes by itself, under names of its own.
  lately(/^(?:node:)?trace_events$/, ['filesystem.write'], () => before(builtin('trace_events'), 'createTracing', 'filesystem.write', 'fs.write')),
  lately(/^(?:node:)?crypto$/, ['native'], () => guardJobs()),
  lately(/^(?:node:)?crypto$/, ['filesystem.read'], () => guardStores()),
  lately(/^(?:node:)?v8$/, ['filesystem.read', 'filesystem.write'], () => {
    const v8 = builtin('v8');
    set(v8, 'writeHeapSnapshot', looking(v8.writeHeapSnapshot, 'fs.open', comes, 0, always, (file) => pathOf(file ?? 'Heap')));
    before(v8, 'setHeapSnapshotNearHeapLimit', 'filesystem.write', 'fs.write');
  }),
  lately(/^(?:node:)?wasi$/, ['filesystem.read', 'filesystem.write'], () => {
    for (const [kind, event] of [['filesystem.read', 'fs.open'], ['filesystem.write', 'fs.write']]) before(builtin('wasi'), 'WASI', kind, event, (args) => preopens(args[0]));
  }),
  lately(/^node:sqlite$/, ['native', 'filesystem.write'], () => {
    let sqlite;
    try { sqlite = builtin('node:sqlite'); } catch {} // an older node has none
    before(sqlite?.DatabaseSync?.prototype, 'loadExtension', 'native', 'process.dlopen');
    before(sqlite, 'DatabaseSync', 'filesystem.write', 'fs.write', (args) => stores(args[0]));
    before(sqlite?.DatabaseSync?.prototype, 'open', 'filesystem.write', 'fs.write'); // which may be another file by now
    before(sqlite, 'backup', 'filesystem.write', 'fs.write', (args) => stores(args[1]));
  }),
];

// alone has a function called of nothing, whatever calls it.
const alone = (f) => (typeof f === 'function' ? new Proxy(f, { __proto__: null, apply: (target, _, args) => apply(target, undefined, args) }) : f);
// Node calls what tells of the end of a job of crypto as a method of that: run again then, it uses memory that is gone.
const guardJobs = () => {
  const crypto = builtin('crypto');
  for (const name of getOwnPropertyNames(crypto)) {
    const own = getOwnPropertyDescriptor(crypto, name).value;
    if (typeof own !== 'function' || !/^(?!create)[a-z]/.test(name) || name.endsWith('Sync')) continue;
    set(crypto, name, new Proxy(own, {
      __proto__: null,
      apply(_, self, args) {
        if (denies('native') && !policy.observe) for (let i = 1; i < args.length; i++) args[i] = alone(args[i]);
        return apply(own, self, args);
      },
    }), { enumerable: getOwnPropertyDescriptor(crypto, name).enumerable });
  }
};

// liesElsewhere says whether a private key is in a file that the program may not read, or in what else OpenSSL has a loader
// for: since Node 24 it may be a URL. Options that answer otherwise when they are asked again could be one by then.
const liesElsewhere = (key, deep = 2) => {
  if (typeof key !== 'object' || key === null || ArrayBuffer.isView(key) || util.types.isKeyObject(key) || util.types.isCryptoKey(key)) return false;
  if (isProxy(key)) return true;
  let href;
  try { href = apply(addresses.href, key, []); } catch {}
  if (href !== undefined) {
    if (!href.startsWith('file:')) return true;
    const at = arrives(fileURLToPath(href));
    return at !== undefined && !readable(at, 'fs.open');
  }
  for (let o = key; o !== null && deep > 0; o = getPrototypeOf(o)) {
    if (isProxy(o)) return true;
    for (const name of keys(o)) {
      const { get, value } = getOwnPropertyDescriptor(o, name);
      if (name !== '__proto__' && get || (name === 'key' || name === 'privateKey') && liesElsewhere(value, deep - 1)) return true;
    }
  }
  return false;
};
const guardStores = () => {
  const crypto = builtin('crypto');
  for (const [holder, name, nth] of [[crypto, 'createPrivateKey', 0], [crypto, 'sign', 2], [crypto, 'privateDecrypt', 0], [crypto, 'privateEncrypt', 0],
    [crypto, 'diffieHellman', 0], [crypto, 'decapsulate', 0], [crypto.Sign.prototype, 'sign', 0]]) {
    before(holder, name, 'filesystem.read', 'fs.open', (args) => deniesFiles() && liesElsewhere(args[nth]));
  }
};

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
      before(own, 'writeReport', 'filesystem.write', 'fs.write');
      // When Node writes one by itself is set before.
      for (const name of getOwnPropertyNames(own)) {
        const how = getOwnPropertyDescriptor(own, name);
        if (!name.startsWith('reportOn') || !how.set) continue;
        let { set: sets } = how;
        for (const [kind, event] of [['environment', 'process.report'], ['filesystem.write', 'fs.write']]) sets = wrap(sets, kind, event, (args) => { if (args[0]) fire(kind, event); });
        defineProperty(own, name, { __proto__: null, ...how, set: sets });
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

// guardProcess has process tell who runs it, and hand out what is at work in it, to nobody
// but Node, and a library of the operator's that names it.
const guardProcess = () => {
  for (const name of ['getuid', 'geteuid', 'getgid', 'getegid', 'getgroups']) before(process, name, 'environment', 'process.getuid', () => !spelled([name]));
  for (const name of ['_getActiveHandles', '_getActiveRequests']) before(process, name, 'introspection', 'process._getActiveHandles', () => !spelled([name]));
};

const bindings = { __proto__: null, contextify: true, inspector: true, v8: true, worker: true };
const guardNode = (bare) => {
  before(Module, 'enableCompileCache', 'filesystem.write', 'fs.write');
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
  if (pipe) for (const [name, to, nth] of [['bind', lies, 0], ['connect', arrives, 1]]) set(pipe, name, looking(pipe[name], 'fs.stat', to, nth, nth === 0 ? always : never, brief));
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
