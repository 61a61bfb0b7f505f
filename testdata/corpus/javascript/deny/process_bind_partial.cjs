const run = require('child_process').execSync.bind(null, 'expr 40 + 1001'); console.log(String(run()))
