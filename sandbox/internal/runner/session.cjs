// What runs in a JavaScript session: it takes one cell after the other and has
// V8 run each as a REPL would, byte for byte. The cells run in this very
// interpreter and can change all that is here; nothing of it is a control. The
// sandbox around it is, and the parser that is asked elsewhere.
//
// A cell ends when its value is there and nothing is left to wait for, like
// the program that it could be.
'use strict';
const inside = require('./inside.cjs');
inside.plain();
const util = require('util');
const Module = require('module');
const { Session } = require('inspector');

const top = process.cwd();
const known = new Map(); // how each file was when the host last heard of it
const hooks = inside.hooks();

const cell = { first: true, denied: [], lifted: [], observe: false, caps: [0, 0], waits: false, failed: false };

const complain = (error) => {
  cell.failed = true;
  const text = error instanceof Error ? util.inspect(error) : `Uncaught ${util.inspect(error)}`;
  const own = (line) => /^\s+at .*(\(node:|\/\.sallyport\/)/.test(line);
  process.stderr.write(text.split('\n').filter((line) => !own(line)).join('\n') + '\n');
};
const show = (value) => { if (value !== undefined) process.stdout.write(util.inspect(value) + '\n'); };

const session = new Session();
session.connect();
const ask = (method, params, then) => session.post(method, params, (error, result) => then(error, result));

// handle is how the inspector calls a thing of ours: by an id.
const handle = (thing) => {
  let id;
  globalThis[''] = thing;
  ask('Runtime.evaluate', { expression: "globalThis['']" }, (_, r) => { id = r.result.objectId; });
  delete globalThis[''];
  return id;
};
const shown = handle(show), complained = handle(complain);

// give calls one of ours with what a cell came to.
const give = (to, { objectId, unserializableValue, value }, then) => {
  const argument = objectId ? { objectId } : unserializableValue ? { unserializableValue } : { value };
  ask('Runtime.callFunctionOn', { objectId: to, functionDeclaration: 'function (v) { this(v); }', arguments: [argument] }, then);
};

// A cell finds what a CommonJS program finds, as names and not on the global
// object, as the analysis reads it.
const provide = () => {
  const main = new Module(`${top}/session.js`);
  main.filename = main.id;
  main.paths = Module._nodeModulePaths(top);
  const names = { require: Module.createRequire(main.filename), module: main, exports: main.exports, __filename: main.filename, __dirname: top };
  globalThis[''] = names;
  ask('Runtime.evaluate', { expression: `let { ${Object.keys(names).join(', ')} } = globalThis[''];`, replMode: true }, () => {});
  delete globalThis[''];
};

const run = (expression) => {
  cell.waits = true;
  cell.failed = false;
  const options = { expression, replMode: true, awaitPromise: true, objectGroup: 'cell' };
  ask('Runtime.evaluate', options, (error, r) => {
    cell.waits = false;
    if (error) return complain(error);
    if (!r.exceptionDetails) return give(shown, r.result, () => {});
    const { exception, text } = r.exceptionDetails;
    if (exception) give(complained, exception, () => {});
    else complain(text);
  });
  setImmediate(() => {}); // the end is heard of also when the cell waits for nothing
};

const next = () => {
  const referred = [];
  let code = '', file, seen = [], harmless = [], modules = [];
  inside.fields(inside.job(), (tag, value) => {
    if (tag === 'c') code = value.toString();
    else if (tag === 'l') cell.caps = value.toString().split(' ').map(Number);
    else if (tag === 'n' && cell.first) cell.denied = value.toString().split(',');
    else if (tag === 'y' && cell.first) cell.lifted = value.toString().split(',');
    else if (tag === 'w' && cell.first) cell.observe = true;
    else if (tag === 's') seen = value.toString().split('\0');
    else if (tag === 'q') harmless = value.toString().split('\0');
    else if (tag === 'b') modules = value.toString().split('\n');
    else if (tag === 'p') file = value.toString();
    else if (tag === 'd' || tag === 'e') {
      inside.put(file, value);
      if (tag === 'e') hooks.judge(`${top}/${file}`, value.toString());
      inside.note(file, known);
    }
    else if (tag === 'r') {
      inside.place(file);
      referred.push(file);
    }
  });
  if (referred.length > 0) hooks.refer(inside.given(referred));
  hooks.see(seen, harmless, modules);
  if (cell.first) hooks.begin(cell.denied, cell.lifted, cell.observe);
  cell.first = false;
  hooks.again(); // each kind of attempt is told once a cell
  run(code);
};

process.on('uncaughtException', complain);
process.on('beforeExit', () => {
  if (cell.waits) {
    cell.waits = false;
    complain(new Error('this cell waits for something that never comes'));
  }
  process.exitCode = undefined;
  ask('Runtime.releaseObjectGroup', { objectGroup: 'cell' }, () => {});
  ask('Runtime.discardConsoleEntries', {}, () => {});
  inside.collect(known, ...cell.caps);
  inside.answer(`done ${cell.failed ? 1 : 0}`);
  next();
});
process.argv.splice(1);
hooks.guard();
inside.switched();
provide();
inside.given();
inside.answer('ready');
next();
