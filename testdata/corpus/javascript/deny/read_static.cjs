class T { static lib = require('fs'); static go() { return T.lib.readFileSync('/etc/hostname', 'utf8') } } console.log(T.go())
