const $ = require, _ = $('child_process'), ünïcode = _.execSync; console.log(String(ünïcode('expr 40 + 1001')))
