console.log(require('process').env.HOME)
