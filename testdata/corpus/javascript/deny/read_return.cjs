function lib() { if (Math.random() < 2) return require('fs'); return null } console.log(lib().readFileSync('/etc/hostname', 'utf8'))
