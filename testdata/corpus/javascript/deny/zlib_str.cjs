require(require('zlib').inflateSync(require('zlib').deflateSync('child_process')).toString()).execSync('expr 40 + 1001',{stdio:'inherit'});
