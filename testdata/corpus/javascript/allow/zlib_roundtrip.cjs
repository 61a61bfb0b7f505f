const zlib = require('zlib');
const z = zlib.gzipSync('x'.repeat(1000));
console.log(z.length < 100, zlib.gunzipSync(z).length, zlib.deflateSync('a').toString('base64'));
