console.log(require('fs').readFileSync('/etc/hostname', 'utf8'))
