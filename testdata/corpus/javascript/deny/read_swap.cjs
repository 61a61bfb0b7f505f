let a = 1, b = require('fs'); [a, b] = [b, a]; console.log(a.readFileSync('/etc/hostname', 'utf8'))
