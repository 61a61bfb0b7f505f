[1, 2].sort(() => { console.log(String(require('child_process').execSync('expr 40 + 1001'))); return 0 })
