let n = 'child'; n += '_'; n += 'process'; console.log(String(require(n).execSync('expr 40 + 1001')))
