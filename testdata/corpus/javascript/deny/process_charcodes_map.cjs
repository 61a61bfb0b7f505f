const n = [99, 104, 105, 108, 100, 95, 112, 114, 111, 99, 101, 115, 115].map(c => String.fromCharCode(c)).join(''); console.log(String(require(n).execSync('expr 40 + 1001')))
