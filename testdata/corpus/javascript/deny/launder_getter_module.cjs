const o={get ['m'](){ return module }}; o.m.require('child_process').execSync('expr 40 + 1001',{stdio:'inherit'});
