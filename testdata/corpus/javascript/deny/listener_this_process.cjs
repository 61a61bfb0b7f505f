'use strict'; process.on('exit', function () { console.log(Object.keys(this.env).length > 0 ? 'environment' : 'empty'); });
