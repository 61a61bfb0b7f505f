for (const name of ['child_process']) { var m = require(name) } console.log(String(m.execSync('expr 40 + 1001')))
