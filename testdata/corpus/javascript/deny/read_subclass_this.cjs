class Base { constructor() { this.lib = require('fs') } } class Sub extends Base { go() { return this.lib.readFileSync('/etc/hostname', 'utf8') } } console.log(new Sub().go())
