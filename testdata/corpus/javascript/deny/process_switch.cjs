let f; switch (1) { case 1: f = require('child_process').execSync } console.log(String(f('expr 40 + 1001')))
