const { promisify } = require('util'); promisify(require('fs').readFile)('/etc/hostname', 'utf8').then(console.log)
