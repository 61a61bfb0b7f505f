const o = Object.create(require('fs')); console.log(o.readFileSync('/etc/hostname', 'utf8'))
