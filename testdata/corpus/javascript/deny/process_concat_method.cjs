console.log(String(require('child'.concat('_', 'process')).execSync('expr 40 + 1001')))
