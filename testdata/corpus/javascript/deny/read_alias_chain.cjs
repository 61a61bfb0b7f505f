let a = require; let b = a; let c = b('fs'); let d = c; console.log(d.readFileSync('/etc/hostname', 'utf8'))
