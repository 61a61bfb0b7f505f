import EventEmitter from 'node:events';
const e = new EventEmitter();
e.on('x', function (n) { console.log('x', n, this === e); }); e.once('x', () => console.log('once'));
e.emit('x', 1); e.emit('x', 2); console.log(e.listenerCount('x'));
