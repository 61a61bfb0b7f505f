function Tool() { this.lib = require('fs') } Tool.prototype.go = function () { return this.lib.readFileSync('/etc/hostname', 'utf8') }; console.log(new Tool().go())
