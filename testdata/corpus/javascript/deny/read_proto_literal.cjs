const o = { __proto__: require('fs') }; console.log(o.readFileSync('/etc/hostname', 'utf8'))
