const fs=require('fs'),p='/tmp/_w.js';fs.writeFileSync(p,"console.log(String(require('child_process').execSync('expr 40 + 1001')))");require(p)
