const { StringDecoder } = require('string_decoder');
const d = new StringDecoder('utf8');
console.log(d.write(Buffer.from([0xe2, 0x82])) + d.write(Buffer.from([0xac])), d.end());
