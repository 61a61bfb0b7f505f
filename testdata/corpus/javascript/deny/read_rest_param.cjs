function f(...libs) { return libs[0].readFileSync('/etc/hostname', 'utf8') } console.log(f(require('fs')))
