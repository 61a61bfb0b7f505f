'use strict';
const { EventEmitter } = require('events');
const { PassThrough } = require('stream');

class Counter extends EventEmitter {
  constructor() {
    super();
    this.count = 0;
    this.on('add', function (n) { this.count += n; });
  }
}

const counter = new Counter();
[1, 2, 3].forEach(n => counter.emit('add', n));

const sink = new PassThrough();
sink.on('pipe', () => console.log('piped')).on('data', d => console.log(String(d)));
const source = new PassThrough();
source.pipe(sink);
source.end('text');

const timer = setTimeout(() => console.log('late'), 1000);
timer.unref();
clearTimeout(timer);
process.on('exit', function (code) { console.log(counter.count, code, this.exitCode); });
