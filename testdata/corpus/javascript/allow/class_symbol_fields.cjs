// Keeps its state under symbols, as classes did before they had private fields.
const { EventEmitter } = require('node:events');
const kFlush = Symbol('flush');
const kDone = Symbol('done');

class Sink extends EventEmitter {
  constructor(options = {}) {
    super();
    if (typeof options.flush !== 'function') throw new TypeError('flush must be a function');
    this[kFlush] = options.flush;
    this[kDone] = false;
  }

  emit(event, ...data) {
    if (event !== 'end' || this[kDone]) return super.emit(event, ...data);
    const after = err => {
      this[kDone] = true;
      return err ? super.emit('error', err) : super.emit('end');
    };
    return this[kFlush](after);
  }
}

const sink = new Sink({ flush: done => done() });
sink.on('end', () => console.log('all written'));
sink.emit('end');
