const curry = fn => function go(...args) { return args.length >= fn.length ? fn(...args) : (...more) => go(...args, ...more); };
const add3 = curry((a, b, c) => a + b + c);
console.log(add3(1)(2)(3), add3(1, 2)(3));
