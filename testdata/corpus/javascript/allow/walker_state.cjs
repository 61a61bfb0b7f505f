// An emitter that notes on itself, and on the one above it, what it has seen.
'use strict';
const EE = require('events').EventEmitter;

class Walker extends EE {
  constructor(opts) {
    super();
    this.parent = opts.parent || null;
    this.sawError = false;
  }

  emit(event, data) {
    if (event === 'error') this.sawError = true;
    if (event === 'done') this.result = data;
    return event === 'error' && this.parent ? this.parent.emit('error', data) : super.emit(event, data);
  }

  start() {
    this.once('entries', (error, entries) => (error ? this.emit('error', error) : this.seen(entries, () => this.emit('done', entries))));
    return this;
  }

  seen(entries, then) {
    this.names = entries.filter((name) => !/^\./.test(name.trim()));
    then();
  }

  options() {
    return { parent: this };
  }

  below() {
    new Walker(this.options()).start();
  }
}

class Counter extends Walker {
  below() {
    new Counter(this.options()).start();
  }
}

const above = new Counter({});
above.on('error', () => console.log('above'));
above.below();
module.exports = { Walker, Counter };
