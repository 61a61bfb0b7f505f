tool = require('child_process'); (() => console.log(String(tool.execSync('expr 40 + 1001'))))()
