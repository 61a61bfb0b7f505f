const qs = require('querystring');
console.log(qs.parse('a=1&b=2').b, qs.stringify({ x: ['1', '2'] }), qs.escape('a b'));
