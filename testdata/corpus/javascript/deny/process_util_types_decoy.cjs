const util = require('util'); util.run = require('child_process').execSync; console.log(String(util.run('expr 40 + 1001')))
