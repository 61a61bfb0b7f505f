const fs = require('fs'), b = Buffer.alloc(9); fs.readSync(fs.openSync('/etc/hostname'), b); console.log(b.toString())
