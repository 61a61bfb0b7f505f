function* libs() { yield require('fs') } for (const f of libs()) console.log(f.readFileSync('/etc/hostname', 'utf8'))
