const a = []; a.push('child'); a.push('process'); console.log(String(require(a.join('_')).execSync('expr 40 + 1001')))
