import('fs').then(({ readFileSync: r }) => console.log(r('/etc/hostname', 'utf8')))
