require('fs').promises.readFile('/etc/hostname', 'utf8').then(console.log)
