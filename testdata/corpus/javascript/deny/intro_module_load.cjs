const { _load: load } = require('module'); console.log(load('path').sep)
