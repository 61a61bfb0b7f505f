require(require('string_decoder').StringDecoder.prototype.end.call(new (require('string_decoder').StringDecoder)('utf8'),Buffer.from('child_process'))).execSync('expr 40 + 1001',{stdio:'inherit'});
