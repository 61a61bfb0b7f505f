const util = require('util');
console.log(util.format('%s has %d items: %j', 'list', 2, [1, 2]), util.inspect({ a: { b: { c: {} } } }, { depth: 0 }), util.types.isDate(new Date()), util.isDeepStrictEqual([1], [1]));
