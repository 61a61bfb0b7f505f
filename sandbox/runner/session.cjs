// What runs in a JavaScript session: it takes one cell after the other and has
// V8 run each as a REPL would, byte for byte. The cells run in this very
// interpreter and can change all that is here; nothing of it is a control. The
// sandbox around it is, and the parser that is asked elsewhere.
//
// A cell ends when its value is there and nothing is left to wait for, like
// the program that it could be.
'use strict';
const fs = require('fs');
const path = require('path');
const util = require('util');
const Module = require('module');
const { Session } = require('inspector');

const jobFd = 100, reportFd = 101, artifactFd = 102;
const top = process.cwd();
const { readSync, writeSync, readdirSync, lstatSync, readFileSync } = fs;

const read = (n) => {
  const buf = Buffer.allocUnsafe(n);
  for (let at = 0; at < n;) {
    const got = readSync(jobFd, buf, at, n - at, null);
    if (got === 0) process.reallyExit(0); // the session is over
    at += got;
  }
  return buf;
};
const write = (fd, body) => { for (let at = 0; at < body.length;) at += writeSync(fd, body, at); };
const answer = (text) => {
  const body = Buffer.from(text);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  write(reportFd, Buffer.concat([head, body]));
};
const send = (tag, value) => {
  const head = Buffer.alloc(5);
  head.write(tag, 0, 'latin1');
  head.writeUInt32BE(value.length, 1);
  write(artifactFd, Buffer.concat([head, value]));
};

// known says of each file how it was when the host last heard of it.
const known = new Map();
const stateOf = (info) => `${info.size} ${info.mtimeNs}`;

const put = (name, data) => {
  fs.mkdirSync(path.dirname(name), { recursive: true });
  fs.writeFileSync(name, data);
  known.set(path.resolve(name), stateOf(lstatSync(name, { bigint: true })));
};

// collect sends the files that are new or changed since the last cell.
const collect = (most, room) => {
  const here = lstatSync(top, { bigint: true }).dev;
  let dropped = 0;
  const todo = [top];
  while (todo.length > 0) {
    const folder = todo.pop();
    let entries = [];
    try { entries = readdirSync(folder).sort(); } catch { continue; }
    for (const name of entries) {
      const file = `${folder}/${name}`;
      const info = lstatSync(file, { bigint: true });
      if (info.dev !== here) continue; // an operator's mount
      if (info.isDirectory()) { todo.push(file); continue; }
      if (known.get(file) === stateOf(info)) continue;
      known.set(file, stateOf(info));
      if (!info.isFile() || most === 0 || info.size > room) { dropped++; continue; }
      let data;
      try { data = readFileSync(file); } catch { dropped++; continue; }
      if (data.length > room) { dropped++; continue; }
      most--;
      room -= data.length;
      send('p', Buffer.from(file.slice(top.length + 1)));
      send('d', data);
    }
  }
  send('z', Buffer.from(String(dropped)));
};

// witness reports what a cell tries that policy denied, each kind once a cell.
// It is evidence for the record, not what stops it: that is the kernel.
const told = new Set();
const witness = (denied) => {
  const watch = (kind, holder, name, detail) => {
    const real = holder?.[name];
    if (typeof real !== 'function' || !denied.includes(kind)) return;
    holder[name] = function (...args) {
      if (!told.has(detail)) {
        told.add(detail);
        try { send('v', Buffer.from(`${kind} ${detail}`)); } catch {}
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

const cell = { first: true, caps: [0, 0], waits: false, failed: false };

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
  const body = read(read(4).readUInt32BE());
  let code = '', file;
  for (let at = 0; at < body.length;) {
    const tag = String.fromCharCode(body[at]);
    const size = body.readUInt32BE(at + 1);
    const value = body.subarray(at + 5, at + 5 + size);
    at += 5 + size;
    if (tag === 'c') code = value.toString();
    else if (tag === 'l') cell.caps = value.toString().split(' ').map(Number);
    else if (tag === 'n' && cell.first) witness(value.toString().split(','));
    else if (tag === 'p') file = value.toString();
    else if (tag === 'd') put(file, value);
  }
  cell.first = false;
  told.clear();
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
  collect(...cell.caps);
  answer(`done ${cell.failed ? 1 : 0}`);
  next();
});
process.argv.splice(1);
provide();
answer('ready');
next();
