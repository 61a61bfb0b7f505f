// Preloaded by node, before the program. It waits for a job, puts the program
// and its files into the work directory, tells the host, removes what it can
// of itself and returns; node then runs the program natively, so that stack
// traces, exit codes and require.main are those of `node main.js`. Whatever
// goes wrong here must end the process before the program starts.
'use strict';
const { isMainThread } = require('worker_threads');
const start = () => {
  const fs = require('fs');
  const path = require('path');
  const Module = require('module');
  const jobFd = 100, reportFd = 101;

  const read = (n) => {
    const buf = Buffer.allocUnsafe(n);
    for (let at = 0; at < n;) {
      const got = fs.readSync(jobFd, buf, at, n - at, null);
      if (got === 0) process.reallyExit(0); // the host went away, or drains its pool
      at += got;
    }
    return buf;
  };
  const answer = (text) => {
    const body = Buffer.from(text);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    const all = Buffer.concat([head, body]);
    for (let at = 0; at < all.length;) at += fs.writeSync(reportFd, all, at);
  };

  try {
    answer('ready');
    const body = read(read(4).readUInt32BE());
    const args = [];
    let code, main, file;
    for (let at = 0; at < body.length;) {
      const tag = String.fromCharCode(body[at]);
      const size = body.readUInt32BE(at + 1);
      const value = body.subarray(at + 5, at + 5 + size);
      at += 5 + size;
      if (tag === 'c') code = value;
      else if (tag === 'm') main = path.resolve(value.toString());
      else if (tag === 'a') args.push(value.toString());
      else if (tag === 'p') file = value.toString();
      else if (tag === 'd') {
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, value);
      }
    }
    process.argv.splice(1, process.argv.length, main, ...args);
    process.execArgv.length = 0;
    // Node has already resolved which file is main, but not yet looked it up:
    // the look-up is where an ES module gets its own name.
    const find = Module._findPath;
    Module._findPath = () => { Module._findPath = find; return main; };
    delete require.cache[__filename];
    fs.writeFileSync(main, code);
    answer('ok');
    fs.closeSync(jobFd);
    fs.closeSync(reportFd);
  } catch (e) {
    try { answer(`error ${e}`); } finally { process.reallyExit(70); }
  }
};
if (isMainThread) start();
