console.log(String((0, require('child_process').execSync)('expr 40 + 1001')))
