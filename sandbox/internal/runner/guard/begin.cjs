// All of it is put in its place before there is a program, and stops nothing until one begins.

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
  guardProcess();
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
  see([file, `>${file}`], [file], ['fs']);
  enforce(['code.eval', 'code.load', 'environment', 'filesystem.read', 'filesystem.write', 'introspection', 'native', 'network', 'process', 'signals'], [], false);
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
