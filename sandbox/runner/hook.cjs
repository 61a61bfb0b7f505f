// Preloaded by node, before the program. It waits for a job, puts the program
// and its files into the work directory, tells the host, removes what it can
// of itself and returns; node then runs the program natively, so that stack
// traces, exit codes and require.main are those of `node main.js`. Whatever
// goes wrong here must end the process before the program starts.
'use strict';
const { isMainThread } = require('worker_threads');

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

// loadAcorn returns the parser that node carries for its own use.
const loadAcorn = () => {
  const source = process.binding('natives')['internal/deps/acorn/acorn/dist/acorn'];
  if (!source) throw new Error('this node carries no acorn for the second opinion');
  const module = { exports: {} };
  new Function('exports', 'module', source).call(module.exports, module.exports, module);
  return module.exports;
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

// collector returns the function that sends the files a program leaves behind.
const collector = (fd, inputs, most, room) => {
  const fs = require('fs');
  const { readdirSync, lstatSync, readFileSync, writeSync } = fs;
  try {
    fs.fstatSync(fd);
  } catch {
    return () => {}; // this backend has a way of its own
  }
  const top = process.cwd();
  const here = lstatSync(top, { bigint: true }).dev;
  const send = (tag, value) => {
    const body = Buffer.alloc(5 + value.length);
    body.write(tag, 0, 'latin1');
    body.writeUInt32BE(value.length, 1);
    value.copy(body, 5);
    for (let at = 0; at < body.length;) at += writeSync(fd, body, at);
  };
  return () => {
    let left = most, budget = room, dropped = 0;
    const todo = [top];
    while (todo.length > 0) {
      const folder = todo.pop();
      let entries = [];
      try { entries = readdirSync(folder).sort(); } catch { continue; }
      for (const name of entries) {
        const path = `${folder}/${name}`;
        const info = lstatSync(path, { bigint: true });
        if (info.dev !== here) continue; // an operator's mount
        if (info.isDirectory()) { todo.push(path); continue; }
        if (inputs.get(path) === `${info.size} ${info.mtimeNs}`) continue;
        if (!info.isFile() || left === 0 || info.size > budget) { dropped++; continue; }
        let data;
        try { data = readFileSync(path); } catch { dropped++; continue; }
        if (data.length > budget) { dropped++; continue; }
        left--;
        budget -= data.length;
        send('p', Buffer.from(path.slice(top.length + 1)));
        send('d', data);
      }
    }
    send('z', Buffer.from(String(dropped)));
    fs.closeSync(fd); // says that the files are out
  };
};

// witness reports what a program tries that policy denied, each kind once. It
// is evidence for the record, not what stops it: that is the kernel.
const witness = (fd, denied) => {
  const { writeSync } = require('fs');
  const told = new Set();
  const watch = (kind, holder, name, detail) => {
    const real = holder?.[name];
    if (typeof real !== 'function' || !denied.includes(kind)) return;
    holder[name] = function (...args) {
      if (!told.has(detail)) {
        told.add(detail);
        const body = Buffer.from(`.....${kind} ${detail}`);
        body.write('v', 0, 'latin1');
        body.writeUInt32BE(body.length - 5, 1);
        try { writeSync(fd, body); } catch {}
      }
      return Reflect.apply(real, this, args);
    };
  };
  const binding = (name) => { try { return process.binding(name); } catch { return {}; } };
  watch('process', binding('process_wrap').Process?.prototype, 'spawn', 'child_process.spawn');
  watch('process', binding('spawn_sync'), 'spawn', 'child_process.spawnSync');
  const tcp = binding('tcp_wrap').TCP?.prototype, udp = binding('udp_wrap').UDP?.prototype;
  for (const name of ['connect', 'connect6', 'bind', 'bind6', 'listen']) watch('network', tcp, name, `tcp.${name}`);
  for (const name of ['bind', 'bind6', 'connect', 'connect6', 'send', 'send6']) watch('network', udp, name, `udp.${name}`);
  watch('network', binding('cares_wrap'), 'getaddrinfo', 'dns.lookup');
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
const warmUp = (acorn) => {
  const wanted = process.env.SALLYPORT_PRELOAD;
  delete process.env.SALLYPORT_PRELOAD;
  if (!wanted) return;
  for (const name of wanted.split(',')) require(name);
  const fs = require('fs');
  const program = `const { a, b: [c] } = { a: 1, b: [2] }; class D extends Array { static e = 1; get f() { return \`\${a}\`; } }
    async function g(...h) { for (const i of h) { try { await i; } catch (j) { throw j; } } }
    module.exports = (k => k + a, { ...{ l: /m/g }, n: () => { switch (c) { case 1: break; default: return JSON.stringify({ o: [1.5, null] }); } } });`;
  for (let i = 0; i < 3; i++) opinion(acorn, program, 'script', new Set(['a']));
  fs.writeFileSync('main.js', program);
  require(process.cwd() + '/main.js').n();
  delete require.cache[process.cwd() + '/main.js'];
  module.children.length = 0;
  fs.lstatSync('main.js', { bigint: true });
  fs.readdirSync('.');
  fs.unlinkSync('main.js');
  require('util').formatWithOptions({}, '%s', 1, { b: [2] });
  process.stdout;
  process.stderr;
};

const start = () => {
  const fs = require('fs');
  const path = require('path');
  const Module = require('module');
  const jobFd = 100, reportFd = 101, artifactFd = 102;

  const fill = (buf, at, n) => { // to at least n bytes
    while (at < n) {
      const got = fs.readSync(jobFd, buf, at, buf.length - at, null);
      if (got === 0) process.reallyExit(0); // the host went away, or drains its pool
      at += got;
    }
    return at;
  };
  const readJob = () => { // mostly in one piece
    let buf = Buffer.alloc(4096);
    let at = fill(buf, 0, 4);
    const size = 4 + buf.readUInt32BE();
    if (size > buf.length) buf = Buffer.concat([buf, Buffer.alloc(size - buf.length)]);
    fill(buf, at, size);
    return buf.subarray(4, size);
  };
  const answer = (text) => {
    const body = Buffer.from(text);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    const all = Buffer.concat([head, body]);
    for (let at = 0; at < all.length;) at += fs.writeSync(reportFd, all, at);
  };

  try {
    const acorn = loadAcorn();
    warmUp(acorn);
    answer('ready');
    const body = readJob();
    const args = [];
    let code, main, file, caps = [0, 0], denied = [], inputs = new Map(), goal = 'script', known = new Set(), onlyOpinion = false;
    for (let at = 0; at < body.length;) {
      const tag = String.fromCharCode(body[at]);
      const size = body.readUInt32BE(at + 1);
      const value = body.subarray(at + 5, at + 5 + size);
      at += 5 + size;
      if (tag === 'c') code = value;
      else if (tag === 'm') main = path.resolve(value.toString());
      else if (tag === 'g') goal = value.toString();
      else if (tag === 'n') denied = value.toString().split(',');
      else if (tag === 'o') onlyOpinion = true;
      else if (tag === 'l') caps = value.toString().split(' ').map(Number);
      else if (tag === 'i') known = new Set(value.toString().split('\n'));
      else if (tag === 'a') args.push(value.toString());
      else if (tag === 'p') file = value.toString();
      else if (tag === 'd') {
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, value);
        inputs.set(path.resolve(file), '');
      }
    }
    const text = code.toString();
    const { unknown, failed } = opinion(acorn, text, onlyOpinion ? 'cell' : goal, known);
    if (unknown.size > 0) {
      answer(['mismatch', ...[...unknown].sort().slice(0, 100)].join('\n'));
      process.reallyExit(0);
    }
    if (onlyOpinion) {
      answer(failed ? `syntax\n${failed.message}` : 'ok');
      process.reallyExit(0);
    }
    if (failed) refuse(failed, main, text, goal, answer);
    process.argv.splice(1, process.argv.length, main, ...args);
    process.execArgv.length = 0;
    // Node has already resolved which file is main, but not yet looked it up:
    // the look-up is where an ES module gets its own name.
    const find = Module._findPath;
    Module._findPath = () => { Module._findPath = find; return main; };
    delete require.cache[__filename];
    fs.writeFileSync(main, code);
    inputs.set(main, '');
    for (const p of inputs.keys()) {
      const info = fs.lstatSync(p, { bigint: true });
      inputs.set(p, `${info.size} ${info.mtimeNs}`);
    }
    const collect = collector(artifactFd, inputs, ...caps);
    witness(artifactFd, denied);
    const { emit, reallyExit } = process;
    let failing = false; // an exception is printed after the exit handlers
    Object.defineProperty(process, 'emit', { configurable: true, writable: true, value(name, ...args) {
      const heard = emit.call(this, name, ...args);
      if (name === 'uncaughtExceptionMonitor') failing = true;
      if (name === 'exit') {
        try { collect(); } catch {} // the host misses the end mark
        // Every handler has run; taking the heap down serves nobody.
        if (!failing) reallyExit.call(process, process.exitCode ?? args[0] ?? 0);
      }
      return heard;
    } });
    answer('ok');
    fs.closeSync(jobFd);
    fs.closeSync(reportFd);
  } catch (e) {
    try { answer(`error ${e}`); } finally { process.reallyExit(70); }
  }
};
if (isMainThread) start();
