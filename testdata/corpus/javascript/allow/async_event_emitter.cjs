const { EventEmitter, once } = require('events');
class Job extends EventEmitter { run() { setImmediate(() => this.emit('done', 7)); return this; } }
(async () => { const [n] = await once(new Job().run(), 'done'); console.log(n); })();
