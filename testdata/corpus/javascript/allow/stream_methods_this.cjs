const { Readable, Transform, Writable } = require('stream');
const letters = new Readable({ read() { this.push('a'); this.push(null); } });
const upper = new Transform({ transform(chunk, enc, cb) { this.push(chunk.toString().toUpperCase()); cb(); } });
const seen = new Writable({ write(chunk, enc, cb) { this.count = (this.count || 0) + chunk.length; cb(); }, final(cb) { console.log(this.count); cb(); } });
letters.pipe(upper).pipe(seen);
