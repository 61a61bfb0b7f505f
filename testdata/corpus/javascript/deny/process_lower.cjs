console.log(String(require('CHILD_PROCESS'.toLowerCase()).execSync('expr 40 + 1001')))
