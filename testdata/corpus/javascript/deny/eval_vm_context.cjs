const vm = require('vm'); console.log(vm.runInNewContext('a + 1', { a: 1 }))
