// Threads of the program, which have hooks of their own.

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
    env[mine] = JSON.stringify({ key: [...key], denied: keys(policy.denied), lifted: keys(policy.lifted), observe: policy.observe, judged: [...judged], referred: [...referred].map(String), files: seen.all, harmless: seen.harmless, modules: [...seen.modules], text });
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
