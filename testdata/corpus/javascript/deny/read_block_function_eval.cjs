'use strict'; { function require() {} require() } console.log(require('fs').readFileSync('/etc/hostname', 'utf8'))
