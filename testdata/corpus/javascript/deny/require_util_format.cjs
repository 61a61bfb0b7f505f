require(require('util').format('%s_%s','child','process')).execSync('expr 40 + 1001',{stdio:'inherit'});
