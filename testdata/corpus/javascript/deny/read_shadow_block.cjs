{ let require = 1; void require } console.log(require('fs').readFileSync('/etc/hostname', 'utf8'))
