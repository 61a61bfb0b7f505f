class A { [console.log(require('fs').readFileSync('/etc/hostname', 'utf8'))](require) { return require } }
