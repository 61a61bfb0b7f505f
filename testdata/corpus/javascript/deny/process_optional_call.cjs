console.log(String(require('child_process')?.['execSync']?.('expr 40 + 1001')))
