// What the runner of one program and that of a session have in common.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const vm = require('vm');
const Module = require('module');
const { readSync, writeSync, readdirSync, lstatSync, readFileSync } = fs; // a program may change them

// What was for the start alone.
delete process.env.LD_PRELOAD;
delete process.env.SALLYPORT_SHUT;

const jobFd = 100, reportFd = 101, artifactFd = 102;
const maxPath = 255; // bytes, as the host takes it
const top = process.cwd();
const here = lstatSync(top, { bigint: true }).dev;

const fill = (buf, at, n) => { // to at least n bytes
  while (at < n) {
    const got = readSync(jobFd, buf, at, buf.length - at, null);
    if (got === 0) process.reallyExit(0); // the host went away, or drains its pool
    at += got;
  }
  return at;
};

// job waits for a job, which mostly comes in one piece.
const job = () => {
  let buf = Buffer.alloc(4096);
  const at = fill(buf, 0, 5);
  const size = 5 + buf.readUInt32BE(1);
  if (size > buf.length) buf = Buffer.concat([buf, Buffer.alloc(size - buf.length)]);
  fill(buf, at, size);
  return buf.subarray(5, size);
};

// fields calls found with each field of a job, a tag and a value.
const fields = (body, found) => {
  for (let at = 0; at < body.length;) {
    const size = body.readUInt32BE(at + 1);
    found(String.fromCharCode(body[at]), body.subarray(at + 5, at + 5 + size));
    at += 5 + size;
  }
};

const write = (fd, body) => { for (let at = 0; at < body.length;) at += writeSync(fd, body, at); };

const frame = (fd, tag, value) => {
  const head = Buffer.alloc(5);
  head.write(tag, 0, 'latin1');
  head.writeUInt32BE(value.length, 1);
  write(fd, Buffer.concat([head, value]));
};
const answer = (text) => frame(reportFd, 'a', Buffer.from(text));
const send = (tag, value) => frame(artifactFd, tag, value);

// put writes a file that came with a job.
const put = (file, data) => {
  if (file.includes('/')) fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, data);
};

// place makes a place for a file by reference.
const place = (file) => { if (!fs.existsSync(file)) put(file, ''); };

// given says to the kernel below, where that is interested, that the program's
// files are there: what has not changed at the end need not be sent. It puts
// files by reference in their places, and returns the devices that they are on.
const given = (referred = []) => {
  os.getPriority();
  return referred.map((file) => {
    const { dev } = lstatSync(path.resolve(file), { bigint: true });
    if (dev === here) throw new Error(`the file by reference at ${file} is not there`);
    return dev;
  });
};

const stateOf = (info) => `${info.size} ${info.mtimeNs}`;

// note makes known how a file is now, so that it is sent only when it has
// changed.
const note = (file, known) => known.set(path.resolve(file), stateOf(lstatSync(file, { bigint: true })));

// collect sends the files that known does not know as they are, as far as
// there is room, and the end mark.
const collect = (known, left, budget) => {
  let dropped = 0;
  const todo = [top];
  while (todo.length > 0) {
    const folder = todo.pop();
    let entries = [];
    try { entries = readdirSync(folder).sort(); } catch { continue; }
    for (const name of entries) {
      const file = `${folder}/${name}`, inner = Buffer.from(file.slice(top.length + 1));
      let info;
      try { info = lstatSync(file, { bigint: true }); } catch { dropped++; continue; } // a name that is no text
      if (inner.length > maxPath) { dropped++; continue; }
      if (info.dev !== here) continue; // an operator's mount
      if (info.isDirectory()) { todo.push(file); continue; }
      if (known.get(file) === stateOf(info)) continue;
      known.set(file, stateOf(info));
      if (!info.isFile()) { dropped++; continue; }
      if (left === 0 || info.size > budget) { dropped++; send('p', inner); continue; } // alone: it is left behind
      let data;
      try { data = readFileSync(file); } catch { dropped++; continue; }
      if (data.length > budget) { dropped++; continue; }
      left--;
      budget -= data.length;
      send('p', inner);
      send('d', data);
    }
  }
  send('z', Buffer.from(String(dropped)));
};

// quietly has a function of node's not say that it is out of favour.
const quietly = (f) => (name) => {
  const was = process.noDeprecation;
  process.noDeprecation = true;
  try { return f.call(process, name); } finally { process.noDeprecation = was; }
};

const binding = quietly(process.binding);

// natives has the texts of Node's own modules, which nobody changes. Making them takes a
// while: all who read them share them, and the first does before the program runs.
let texts;
const natives = () => (texts ??= Object.freeze({ __proto__: null, ...binding('natives') }));

// origin has the functions of a module of node's, or what these call: a module takes
// that from a binding when it is loaded, which is much of a start. Node 24 shows
// fewer bindings.
const origin = (id, name) => {
  let inner = {};
  try { if (!process.moduleLoadList.includes(`NativeModule ${id}`)) inner = binding(id); } catch {}
  return typeof inner[name] === 'function' ? inner : require(id);
};

// setFlag sets one of V8's own switches.
const setFlag = (flag) => origin('v8', 'setFlagsFromString').setFlagsFromString(flag);

// Node carries its own modules compiled, for a V8 that nobody switched: under any switch
// it compiles each from its text. plain takes back those of our command line, which changes
// nothing in this thread: its heap and its realm were made under them. switched sets them
// again, before there is a program that starts threads.
const switches = process.execArgv.filter((flag) => flag.startsWith('--max-old-space-size=') || flag === '--disallow-code-generation-from-strings');
const plain = () => {
  if (process.abort.disabled) return; // a thread, in the midst of a program
  for (const flag of switches) setFlag(flag.includes('=') ? '--max-old-space-size=0' : flag.replace('--', '--no-'));
};
const switched = () => { for (const flag of switches) setFlag(flag); };

// script is a text as this V8 compiles it, which the host had it do before where it could.
const script = (name, text) => {
  let cachedData;
  try { cachedData = readFileSync(`${__dirname}/${name}.${process.versions.v8}.compiled`); } catch {}
  return new vm.Script(text, { filename: `${__dirname}/${name}.cjs`, cachedData });
};

// parser is acorn, which node carries for its own use.
const parser = () => {
  const text = natives()['internal/deps/acorn/acorn/dist/acorn'];
  if (!text) throw new Error('this node carries no acorn for the second opinion');
  const module = { exports: {} };
  script('acorn', Module.wrap(text)).runInThisContext().call(module.exports, module.exports, undefined, module);
  return module.exports;
};

// hooks are those of guard.cjs, in a realm that no program has anything of.
const hooks = () => {
  const realm = vm.createContext({ __proto__: null }, { codeGeneration: { strings: false, wasm: false } });
  const make = script('guard', readFileSync(`${__dirname}/guard.cjs`, 'utf8')).runInContext(realm);
  return make({
    __proto__: null, globals: globalThis, require, process, top, runner: `${__dirname}/hook.cjs`, inside: __filename, env: process.env, cwd: process.cwd,
    binding, natives: natives(), origin, registerHooks: Module.registerHooks,
    functions: [async function () {}, function* () {}, async function* () {}].map(Object.getPrototypeOf),
    functionsOf: (names, f) => Object.fromEntries(names.map((name) => [name, function () { return f(); }])),
    // A require of Module's that asks first, and loads at the place where Node's own does.
    requiring: (row, column, asks, own, load) => vm.compileFunction(
      `'use strict'; return ({ require(id) { if (!asks(id)) return apply(own, this, [id]);\n${'return'.padStart(column - 1)} apply(load(), Module, [id, this, false]);\n} }).require;`,
      ['Module', 'asks', 'apply', 'own', 'load'], { filename: 'node:internal/modules/cjs/loader', lineOffset: row - 2 })(Module, asks, Reflect.apply, own, load),
    error: (text, code) => Object.assign(new Error(text), { code }),
    resolved: Promise.resolve.bind(Promise), rejected: Promise.reject.bind(Promise),
  });
};

module.exports = { jobFd, reportFd, job, fields, answer, put, place, given, note, collect, setFlag, plain, switched, parser, hooks };
