const { createReadStream: open } = require('fs'); open('/etc/hostname').pipe(process.stdout)
