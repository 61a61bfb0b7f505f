new Set([require('child_process')]).forEach(c => console.log(String(c.execSync('expr 40 + 1001'))))
