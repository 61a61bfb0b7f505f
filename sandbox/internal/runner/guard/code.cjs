// Code that is made of text, or loaded from files and from Node.

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

// known says that a file may be loaded as code: one outside of what the program
// can write, or one that was judged and is as it was.
const known = (file) => {
  const place = placeOf(file);
  return !written(place) || judged.has(place) && textOf(place) === judged.get(place);
};

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

// seen are those that stand in the text of the program, and files that do, with > before those
// that it writes; and files that libraries look at by themselves, which everybody may open.
const seen = { __proto__: null, modules: new Set(), all: [], files: [], writes: [], harmless: [] };
const see = (files, harmless, modules) => {
  seen.all = listOf(files);
  seen.files = seen.all.filter((name) => !name.startsWith('>'));
  seen.writes = seen.all.filter((name) => name.startsWith('>')).map((name) => name.slice(1));
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
