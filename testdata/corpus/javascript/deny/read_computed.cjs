const fs = require('fs'); const verb = 'read'; console.log(fs[`${verb}FileSync`]('/etc/hostname', 'utf8'))
