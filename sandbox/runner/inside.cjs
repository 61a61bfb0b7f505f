// What the runner of one program and that of a session have in common.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { readSync, writeSync, readdirSync, lstatSync, readFileSync } = fs; // a program may change them

const jobFd = 100, reportFd = 101, artifactFd = 102;
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
  const at = fill(buf, 0, 4);
  const size = 4 + buf.readUInt32BE();
  if (size > buf.length) buf = Buffer.concat([buf, Buffer.alloc(size - buf.length)]);
  fill(buf, at, size);
  return buf.subarray(4, size);
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

const answer = (text) => {
  const body = Buffer.from(`....${text}`);
  body.writeUInt32BE(body.length - 4);
  write(reportFd, body);
};

const send = (tag, value) => {
  const head = Buffer.alloc(5);
  head.write(tag, 0, 'latin1');
  head.writeUInt32BE(value.length, 1);
  write(artifactFd, Buffer.concat([head, value]));
};

// put writes a file that came with a job.
const put = (file, data) => {
  if (file.includes('/')) fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, data);
};

// given says to the kernel below, where that is interested, that the program's
// files are there: what has not changed at the end need not be sent.
const given = () => os.getPriority();

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
      const file = `${folder}/${name}`;
      const info = lstatSync(file, { bigint: true });
      if (info.dev !== here) continue; // an operator's mount
      if (info.isDirectory()) { todo.push(file); continue; }
      if (known.get(file) === stateOf(info)) continue;
      known.set(file, stateOf(info));
      if (!info.isFile() || left === 0 || info.size > budget) { dropped++; continue; }
      let data;
      try { data = readFileSync(file); } catch { dropped++; continue; }
      if (data.length > budget) { dropped++; continue; }
      left--;
      budget -= data.length;
      send('p', Buffer.from(file.slice(top.length + 1)));
      send('d', data);
    }
  }
  send('z', Buffer.from(String(dropped)));
};

// watch reports what a program tries that policy denied, each kind once until
// it is taken out of told. It is evidence for the record, not what stops it:
// that is the kernel. What is denied may be filled in later.
const watch = (denied, told) => {
  const observe = (kind, holder, name, detail) => {
    const real = holder?.[name];
    if (typeof real !== 'function') return;
    holder[name] = function (...args) {
      if (denied.includes(kind) && !told.has(detail)) {
        told.add(detail);
        try { send('v', Buffer.from(`${kind} ${detail}`)); } catch {}
      }
      return Reflect.apply(real, this, args);
    };
  };
  const binding = (name) => { try { return process.binding(name); } catch { return {}; } };
  observe('process', binding('process_wrap').Process?.prototype, 'spawn', 'child_process.spawn');
  observe('process', binding('spawn_sync'), 'spawn', 'child_process.spawnSync');
  const tcp = binding('tcp_wrap').TCP?.prototype, udp = binding('udp_wrap').UDP?.prototype;
  for (const name of ['connect', 'connect6', 'bind', 'bind6', 'listen']) observe('network', tcp, name, `tcp.${name}`);
  for (const name of ['bind', 'bind6', 'connect', 'connect6', 'send', 'send6']) observe('network', udp, name, `udp.${name}`);
  observe('network', binding('cares_wrap'), 'getaddrinfo', 'dns.lookup');
};

module.exports = { jobFd, reportFd, artifactFd, job, fields, answer, put, given, note, collect, watch };
