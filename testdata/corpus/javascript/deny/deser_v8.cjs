const v8 = require('v8'); console.log(v8.deserialize(v8.serialize({ a: 1 })))
