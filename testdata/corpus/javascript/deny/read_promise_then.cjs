Promise.resolve(require('fs')).then(f => console.log(f.readFileSync('/etc/hostname', 'utf8')))
