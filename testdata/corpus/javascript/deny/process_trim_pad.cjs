console.log(String(require('  child_process '.trim()).execSync('expr 40 + 1001')))
