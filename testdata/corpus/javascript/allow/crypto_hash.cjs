const crypto = require('crypto');
const h = crypto.createHash('sha256').update('hello').digest('hex');
const mac = crypto.createHmac('sha1', 'key').update('data').digest('base64');
console.log(h, mac, crypto.timingSafeEqual(Buffer.from('a'), Buffer.from('a')));
