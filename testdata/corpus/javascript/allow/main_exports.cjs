exports.add = (a, b) => a + b;
exports.PI = 3;
module.exports.twice = f => x => f(f(x));
console.log(exports.add(1, 2), module.exports.PI, typeof module.exports.twice);
