// Preloaded by node, before the program. It waits for a job, puts the program
// and its files into the work directory, tells the host, removes what it can
// of itself and returns; node then runs the program natively, so that stack
// traces, exit codes and require.main are those of `node main.js`. Whatever
// goes wrong here must end the process before the program starts.
'use strict';
const inside = require('./inside.cjs');
inside.plain();
const isMainThread = !process.abort.disabled;

// identifiers calls seen with every identifier of a syntax tree. It walks
// every property of every node, so that no kind of node can be forgotten.
const identifiers = (tree, seen) => {
  const todo = [tree];
  while (todo.length > 0) {
    const node = todo.pop();
    if (node === null || typeof node !== 'object') continue;
    if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') seen(node.name);
    if (node.type === 'MetaProperty') continue; // import.meta, new.target
    for (const key in node) if (typeof node[key] === 'object') todo.push(node[key]);
  }
};

// opinion returns the identifiers that acorn sees and the analysis did not,
// and the error of a program that is none. A script that also parses as a
// module may be run as one, so both readings count. A cell of a session is a
// script that may wait.
const opinion = (acorn, code, goal, known) => {
  const unknown = new Set();
  let failed;
  let read = 0;
  const readings = { module: ['module'], cell: ['script', 'module'] }[goal] ?? ['commonjs', 'module'];
  for (const sourceType of readings) {
    try {
      const options = { ecmaVersion: 'latest', sourceType, allowHashBang: true, allowAwaitOutsideFunction: goal === 'cell' || sourceType === 'module' };
      if (sourceType === 'commonjs' && +acorn.version.split('.')[1] < 15) {
        options.sourceType = 'script';
        options.allowReturnOutsideFunction = true;
      }
      identifiers(acorn.parse(code, options), (name) => {
        if (!known.has(name) && name !== 'default') unknown.add(name);
      });
      read++;
    } catch (e) {
      if (!(e instanceof SyntaxError)) throw e;
      failed ??= e;
    }
  }
  return { unknown, failed: read === 0 ? failed : undefined };
};

// refuse ends a program that acorn cannot read. If V8 cannot read it either,
// node says so itself and better, so that one is let through; nothing runs.
const refuse = (error, main, text, goal, answer) => {
  if (goal === 'script') {
    try {
      new (require('vm').Script)(require('module').wrap(text));
    } catch (e) {
      if (e instanceof SyntaxError) return;
    }
    answer('mismatch');
    process.reallyExit(0);
  }
  answer('ok');
  require('fs').writeSync(2, `file://${main}:${error.loc.line}\n\nSyntaxError: ${error.message}\n`);
  process.reallyExit(1);
};

// warmUp loads what most programs load, in a sandbox that waits for one, and
// takes every step once that is taken with a program: what has been touched
// is quick to touch again.
const warmUp = (acorn, hooks) => {
  const wanted = process.env.SALLYPORT_PRELOAD;
  delete process.env.SALLYPORT_PRELOAD;
  if (!wanted) return;
  hooks.guardPromises();
  hooks.guardWorkers();
  for (const name of wanted.split(',')) require(name);
  const program = `const { a, b: [c] } = { a: 1, b: [2] }; class D extends Array { static e = 1; get f() { return \`\${a}\`; } }
    async function g(...h) { for (const i of h) { try { await i; } catch (j) { throw j; } } }
    module.exports = (k => k + a, { ...{ l: /m/g }, n: () => { switch (c) { case 1: break; default: return JSON.stringify({ o: [1.5, null] }); } } });`;
  for (let i = 0; i < 3; i++) opinion(acorn, program, 'script', new Set(['a']));
  for (let i = 0; i < 3; i++) inside.fields(Buffer.from('c\0\0\0\x01x'), () => {});
  const main = process.cwd() + '/main.js';
  inside.put(main, program);
  process.stdout; // is made while nothing is denied
  hooks.rehearse(main, program, () => {
    require(main).n();
    process.stdout.write('');
    process._tickCallback(); // what a write has to do afterwards: it would be below the program in a stack
  });
  delete require.cache[main];
  require('fs').unlinkSync('main.js');
  require('util').formatWithOptions({}, '%s', 1, { b: [2] });
  process.stderr;
  // What the rehearsal left is collected now, not in the midst of the program. What is
  // young is enough: all else would take 8 ms of a processor for 0.3 MiB.
  inside.setFlag('--expose-gc');
  require('vm').runInNewContext('gc')({ type: 'minor' });
  inside.setFlag('--no-expose-gc');
};

// leave has a program that ends go at once, when every exit handler has run:
// taking the heap down serves nobody. The files are sent before, if they are
// ours to send.
const leave = (known, caps) => {
  const { emit, reallyExit } = process;
  let failing = false; // an exception is printed after the exit handlers
  Object.defineProperty(process, 'emit', { configurable: true, writable: true, value(name, ...args) {
    const heard = emit.call(this, name, ...args);
    if (name === 'uncaughtExceptionMonitor') failing = true;
    if (name === 'exit') {
      if (caps) {
        try {
          inside.collect(known, ...caps);
        } catch {} // the host misses the end mark
      }
      if (!failing) reallyExit.call(process, process.exitCode ?? args[0] ?? 0);
    }
    return heard;
  } });
};

// withoutWasm has V8 make no WebAssembly where the host says so: in no realm that is
// made from now on, and of no bytes. Node 24 lost the first switch and Node 18 lacks
// the second; V8 prints a complaint about what it does not know.
const withoutWasm = () => {
  const version = parseInt(process.versions.v8, 10);
  if (version < 13) inside.setFlag('--no-expose-wasm');
  if (version >= 11) inside.setFlag('--wasm-max-module-size=1');
};

const start = () => {
  const fs = require('fs');
  const path = require('path');
  const Module = require('module');
  try {
    const acorn = inside.parser();
    const denied = [];
    const bare = process.env.SALLYPORT_WITHOUT_WASM === '1';
    delete process.env.SALLYPORT_WITHOUT_WASM;
    const hooks = inside.hooks();
    hooks.guard(bare);
    warmUp(acorn, hooks);
    process.stdout; // what nearly every program has Node load is loaded compiled: see switched
    if (bare) withoutWasm();
    inside.switched();
    delete require.cache[require.resolve('./inside.cjs')];
    module.children.length = 0;
    inside.answer('ready');
    let code, main, file, limits, marks = '', goal = 'script', known = new Set(), lifted = [], seen = [], harmless = [], modules = [];
    const args = [], files = [], referred = [];
    inside.fields(inside.job(), (tag, value) => {
      if (tag === 'c') code = value;
      else if (tag === 'm') main = path.resolve(value.toString());
      else if (tag === 'g') goal = value.toString();
      else if (tag === 'n') denied.push(...value.toString().split(','));
      else if (tag === 'y') lifted.push(...value.toString().split(','));
      else if (tag === 's') seen = value.toString().split('\0');
      else if (tag === 'q') harmless = value.toString().split('\0');
      else if (tag === 'b') modules = value.toString().split('\n');
      else if (tag === 'l') limits = value.toString().split(' ').map(Number);
      else if (tag === 'i') known = new Set(value.toString().split('\n'));
      else if (tag === 'a') args.push(value.toString());
      else if (tag === 'p') files.push(file = value.toString());
      else if (tag === 'd' || tag === 'e') {
        inside.put(file, value);
        if (tag === 'e') hooks.judge(path.resolve(file), value.toString());
      }
      else if (tag === 'r') {
        inside.place(file);
        referred.push(file);
      }
      else marks += tag;
    });
    const text = code.toString(), onlyOpinion = marks.includes('o');
    const { unknown, failed } = opinion(acorn, text, onlyOpinion ? 'cell' : goal, known);
    if (unknown.size > 0) {
      inside.answer(['mismatch', ...[...unknown].sort().slice(0, 100)].join('\n'));
      process.reallyExit(0);
    }
    if (onlyOpinion) {
      inside.answer(failed ? `syntax\n${failed.message}` : 'ok\njavascript');
      process.reallyExit(0);
    }
    if (failed) refuse(failed, main, text, goal, inside.answer);
    process.argv.splice(1, process.argv.length, main, ...args);
    process.execArgv.length = 0;
    // Node has already resolved which file is main, but not yet looked it up:
    // the look-up is where an ES module gets its own name.
    const find = Module._findPath;
    Module._findPath = () => { Module._findPath = find; return main; };
    delete require.cache[__filename];
    fs.writeFileSync(main, code);
    hooks.judge(main, text);
    const state = new Map(), sends = marks.includes('f');
    if (sends) for (const name of [main, ...files]) inside.note(name, state);
    else hooks.refer(inside.given(referred));
    leave(state, sends && limits);
    hooks.see(seen, harmless, modules);
    hooks.begin(denied, lifted, marks.includes('w'));
    inside.answer('ok\njavascript');
    fs.closeSync(inside.jobFd);
    fs.closeSync(inside.reportFd);
  } catch (e) {
    try { inside.answer(`error ${e}`); } finally { process.reallyExit(70); }
  }
};
if (isMainThread) start();
else inside.hooks().inWorker();
