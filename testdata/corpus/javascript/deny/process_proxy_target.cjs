const p = new Proxy(require('child_process'), {}); console.log(String(p.execSync('expr 40 + 1001')))
