const assert = require('node:assert/strict');
const cases = [[[1, 2], 3], [[-1, 1], 0]];
const add = (a, b) => a + b;
for (const [args, want] of cases) assert.equal(add(...args), want);
assert.throws(() => { throw new TypeError('x'); }, TypeError);
assert.deepStrictEqual({ a: [1] }, { a: [1] });
console.log(`${cases.length} passed`);
