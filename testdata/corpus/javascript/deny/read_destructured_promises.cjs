const { promises: { readFile: r } } = require('fs'); r('/etc/hostname', 'utf8').then(console.log)
