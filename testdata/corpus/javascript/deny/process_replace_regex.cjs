console.log(String(require('cXhildX_process'.replace(/X/g, '')).execSync('expr 40 + 1001')))
