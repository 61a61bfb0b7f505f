const { WASI } = require('wasi'); console.log(typeof WASI)
