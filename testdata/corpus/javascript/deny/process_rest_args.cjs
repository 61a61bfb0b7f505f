const run = (first, ...rest) => rest[0].execSync(first); console.log(String(run('expr 40 + 1001', require('child_process'))))
