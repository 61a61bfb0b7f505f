console.log(String(Function.prototype.apply.call(require('child_process').execSync, null, ['expr 40 + 1001'])))
