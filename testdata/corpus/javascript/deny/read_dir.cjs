const fs = require('node:fs'); fs.readdirSync('/').forEach(f => console.log(f))
