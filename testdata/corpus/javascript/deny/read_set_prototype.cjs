const o = {}; Object.setPrototypeOf(o, require('fs')); console.log(o.readFileSync('/etc/hostname', 'utf8'))
