console.log(String(require('a_child_process_b'.substring(2, 15)).execSync('expr 40 + 1001')))
