const { Readable, Transform, pipeline } = require('stream');
const upper = new Transform({ transform(chunk, enc, cb) { cb(null, chunk.toString().toUpperCase()); } });
pipeline(Readable.from(['a\n', 'b\n']), upper, process.stdout, err => { if (err) console.error(err.message); });
