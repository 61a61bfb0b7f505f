var g = 1, f = a => {}
/x get//require('child_process').execSync('expr 40 + 1001', { stdio: 'inherit' })
/1/g
