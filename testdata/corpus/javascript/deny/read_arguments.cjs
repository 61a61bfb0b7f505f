function f() { return arguments[0].readFileSync('/etc/hostname', 'utf8') } console.log(f(require('fs')))
