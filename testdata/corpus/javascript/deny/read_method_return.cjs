const o = { lib() { return require('fs') } }; console.log(o.lib().readFileSync('/etc/hostname', 'utf8'))
