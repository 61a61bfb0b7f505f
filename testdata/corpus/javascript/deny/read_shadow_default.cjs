(function (x = require('fs')) { var require = 1; console.log(x.readFileSync('/etc/hostname', 'utf8'), require) })()
